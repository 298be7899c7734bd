/** The correction of a suspicious incoming transfer: category, value, cost and acquisition day. */
import { useState } from 'preact/hooks';
import type { FlaggedReceiptRecord } from '../../../../schemas/types.generated.js';
import { TextField } from '../../parts/text-field.js';
import { rowOf } from '../../state/report.js';
import { type AssetDecision, decide, decisionOf } from '../../state/statements.js';
import { isDay } from '../../values/dates.js';
import { typedDecimal } from '../../values/decimal.js';

interface CorrectFormProps {
  /** Receipts with the same sender, coin and reason. */
  readonly group: readonly FlaggedReceiptRecord[];
  readonly close: () => void;
}

/** Fields with hints for one receipt and for several. */
const FIELDS = [
  ['value_usd', 'Value in US dollars', 'Its value when it arrived.', 'The value of each one when it arrived.'],
  ['cost_basis_usd', 'Cost in US dollars', 'The price that you paid for it.', 'The price that you paid for each one.'],
] as const;

export function CorrectForm({ group, close }: CorrectFormProps) {
  const [receipt] = group as [FlaggedReceiptRecord];
  const [given, setGiven] = useState<AssetDecision>(decisionOf(rowOf(receipt)) ?? { mode: 'override' });
  const [isTried, setTried] = useState(false);
  const texts = { ...given, mode: 'override' as const };
  const change = (name: keyof AssetDecision) => (value: string) => setGiven({ ...texts, [name]: value });
  const fault = (name: 'value_usd' | 'cost_basis_usd') =>
    texts[name] && typedDecimal(texts[name]) === undefined ? 'A plain amount such as 12.50' : undefined;
  const day = texts.acquired_date ?? '';
  const dayFault = faultOfDay(day, receipt.date.slice(0, 10));
  const isEmpty = ![texts.token, texts.value_usd, texts.cost_basis_usd, day].some(Boolean);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (isEmpty || dayFault || FIELDS.some(([name]) => fault(name))) return;
    const amounts = FIELDS.flatMap(([name]) => (texts[name] ? [[name, typedDecimal(texts[name])]] : []));
    const others = (['token', 'acquired_date'] as const).flatMap((name) =>
      texts[name] ? [[name, texts[name].trim()]] : [],
    );
    decide(group.map(rowOf), { mode: 'override', ...Object.fromEntries([...amounts, ...others]) });
    close();
  };
  const id = receipt.record_id;
  return (
    <form class="inline-form" onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && close()} noValidate>
      <TextField
        id={`${id}-token`}
        label="Actual coin"
        hint="A symbol such as ATOM. Leave empty if its name is right."
        value={texts.token ?? ''}
        change={change('token')}
      />
      {FIELDS.map(([name, label, hint, hintOfEach]) => (
        <TextField
          key={name}
          id={`${id}-${name}`}
          label={label}
          hint={group.length > 1 ? hintOfEach : hint}
          value={texts[name] ?? ''}
          fault={fault(name)}
          change={change(name)}
        />
      ))}
      <TextField
        id={`${id}-day`}
        label="Date acquired"
        hint="Leave empty for the day it arrived."
        type="date"
        value={day}
        fault={dayFault}
        change={change('acquired_date')}
      />
      <div class="actions">
        <button type="submit" class="button small">
          Correct
        </button>
        <button type="button" class="quiet small" onClick={close}>
          Cancel
        </button>
      </div>
      {isTried && isEmpty && (
        <p class="fault" role="alert">
          Fill in at least one field.
        </p>
      )}
    </form>
  );
}

/** @param latest the day of the receipt */
export const faultOfDay = (day: string, latest: string): string | undefined => {
  if (day === '') return undefined;
  if (!isDay(day)) return 'A day such as 2024-05-31';
  return day > latest ? `Not after ${latest}` : undefined;
};
