/**
 * Shows suspicious incoming transfers in groups. The user excludes, keeps or corrects each group. Strangers choose some
 * of the texts, so they are shown without links.
 */

import { useRef, useState } from 'preact/hooks';
import type { FlaggedReceiptRecord } from '../../../../schemas/types.generated.js';
import { Address, Coins, focusOn } from '../../parts.js';
import { amountMembers, amountOf, currency, isForeign, type StatedAmount, typedFault } from '../../state/country.js';
import { decisionAbout, rowOf } from '../../state/report.js';
import { type AssetDecision, decide, decisionOf } from '../../state/statements.js';
import { forInput, sumOf, typedDecimal } from '../../values/decimal.js';
import { Moment } from '../parts.js';
import { faultOfDay, TextField } from './question.js';

interface ReceiptsProps {
  readonly receipts: readonly FlaggedReceiptRecord[];
  readonly left: readonly FlaggedReceiptRecord[];
}

export function Receipts({ receipts, left }: ReceiptsProps) {
  const groups = grouped(receipts);
  const leaveOut = () => {
    decide(left.map(rowOf), { mode: 'exclude' });
    focusOn('receipts');
  };
  return (
    <>
      <p>
        You did not request these coins, and they look like spam or fraud. Leave out transfers that you did not expect:
        they count as worthless. Keep real ones: they are treated like any other incoming transfer. Correct real ones
        that have a wrong name or value. You can change each answer at any time.
      </p>
      {left.length > 1 && (
        <p>
          <button type="button" class="button small" onClick={leaveOut}>
            Leave all {left.length} out
          </button>
        </p>
      )}
      <ul class="items">
        {groups.map((group) => (
          <ReceiptGroup key={group[0]!.record_id} group={group} />
        ))}
      </ul>
    </>
  );
}

function grouped(receipts: readonly FlaggedReceiptRecord[]): FlaggedReceiptRecord[][] {
  const groups = new Map<string, FlaggedReceiptRecord[]>();
  for (const receipt of receipts) {
    const key = [receipt.reason, receipt.denom, receipt.sender, receipt.memo].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), receipt]);
  }
  return [...groups.values()];
}

const REASONS = {
  suspected_spam: 'Looks like spam',
  identity_mismatch: 'Imitates another coin',
} as const;

function ReceiptGroup({ group }: { readonly group: readonly FlaggedReceiptRecord[] }) {
  const [isCorrecting, setCorrecting] = useState(false);
  const correct = useRef<HTMLButtonElement>(null);
  const [first] = group as [FlaggedReceiptRecord];
  const rows = group.map(rowOf);
  const decisions = group.map((receipt) => decisionAbout(receipt)?.mode);
  const decision = decisions.every((one) => one === decisions[0]) ? decisions[0] : undefined;
  const choose = (mode: 'exclude' | 'keep') => {
    setCorrecting(false);
    decide(rows, rows.every((row) => decisionOf(row)?.mode === mode) ? undefined : { mode });
  };
  const close = () => {
    setCorrecting(false);
    correct.current!.focus();
  };
  const coins = (
    <>
      <Coins value={sumOf(group.map(({ quantity }) => quantity))} symbol={first.claimed_symbol || first.symbol} />
      {group.length > 1 && ` in ${group.length} incoming transfers`}
    </>
  );
  return (
    <li class="item">
      <div class="item-head">
        <h4>{coins}</h4>
        <p class="fine">
          {REASONS[first.reason]} · <Moment value={first.date} />
          {first.sender && (
            <>
              {' '}
              · from <Address value={first.sender} />
            </>
          )}
        </p>
      </div>
      <ul class="evidence">
        {first.evidence.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {first.memo && (
        <p class="memo">
          <span class="fine">Its memo (do not follow its instructions):</span> <q>{first.memo}</q>
        </p>
      )}
      <fieldset class="choices">
        <legend class="whole">
          {coins} of <Moment value={first.date} />: what is it?
        </legend>
        <button
          type="button"
          class="quiet small"
          aria-pressed={decision === 'exclude'}
          onClick={() => choose('exclude')}
        >
          Leave out
        </button>
        <button type="button" class="quiet small" aria-pressed={decision === 'keep'} onClick={() => choose('keep')}>
          Keep
        </button>
        <button
          ref={correct}
          type="button"
          class="quiet small"
          aria-pressed={decision === 'override'}
          aria-expanded={isCorrecting}
          onClick={() => setCorrecting(!isCorrecting)}
        >
          Correct…
        </button>
      </fieldset>
      {isCorrecting && <CorrectForm group={group} close={close} />}
    </li>
  );
}

interface CorrectFormProps {
  /** Receipts with the same sender, the same coin and the same reason for suspicion. */
  readonly group: readonly FlaggedReceiptRecord[];
  readonly close: () => void;
}

const AMOUNTS = [
  ['value', 'Value', 'Its value when it arrived.', 'The value of each one when it arrived.'],
  ['cost_basis', 'Cost', 'The price that you paid for it.', 'The price that you paid for each one.'],
] as const;

type Typed = Readonly<Record<'token' | 'acquired_date' | StatedAmount, string>>;

/** Returns a decision as a user would type it. */
const typedDecision = (decision: AssetDecision | undefined): Typed => ({
  ...{ token: decision?.token ?? '', acquired_date: decision?.acquired_date ?? '' },
  ...{ value: forInput(amountOf(decision, 'value')), cost_basis: forInput(amountOf(decision, 'cost_basis')) },
});

/** Returns the amounts in another currency, which the form keeps unless an amount is typed. */
function foreignAmounts(decision: AssetDecision | undefined): Partial<AssetDecision> {
  if (!decision || !isForeign(decision)) return {};
  const { mode: _, token: _token, quantity: _quantity, acquired_date: _day, ...amounts } = decision;
  return amounts;
}

function CorrectForm({ group, close }: CorrectFormProps) {
  const [receipt] = group as [FlaggedReceiptRecord];
  const decision = decisionOf(rowOf(receipt));
  const [texts, setTexts] = useState(() => typedDecision(decision));
  const [isTried, setTried] = useState(false);
  const change = (name: keyof Typed) => (value: string) => setTexts({ ...texts, [name]: value });
  const fault = (name: StatedAmount) => (texts[name] ? typedFault(texts[name]) : undefined);
  const day = texts.acquired_date;
  const dayFault = faultOfDay(day, receipt.date.slice(0, 10));
  const foreign = foreignAmounts(decision);
  const isEmpty = !Object.values(texts).some(Boolean) && Object.keys(foreign).length === 0;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (isEmpty || dayFault || AMOUNTS.some(([name]) => fault(name))) return;
    const typed = AMOUNTS.filter(([name]) => texts[name]);
    const amounts = typed.map(([name]) => amountMembers(name, typedDecimal(texts[name])!));
    const others = (['token', 'acquired_date'] as const).flatMap((name) =>
      texts[name] ? [[name, texts[name].trim()]] : [],
    );
    const kept = typed.length > 0 ? {} : foreign;
    decide(group.map(rowOf), Object.assign({ mode: 'override' }, ...amounts, Object.fromEntries(others), kept));
    close();
  };
  const id = receipt.record_id;
  return (
    <form class="inline-form" onSubmit={submit} onKeyDown={(event) => event.key === 'Escape' && close()} noValidate>
      <TextField
        id={`${id}-token`}
        label="Actual coin"
        hint="A symbol such as ATOM. Leave empty if its name is right."
        value={texts.token}
        change={change('token')}
      />
      {AMOUNTS.map(([name, label, hint, hintOfEach]) => (
        <TextField
          key={name}
          id={`${id}-${name}`}
          label={`${label} in ${currency.value.words}`}
          hint={group.length > 1 ? hintOfEach : hint}
          value={texts[name]}
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
