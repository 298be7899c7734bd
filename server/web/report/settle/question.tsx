import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { goTo } from '../../parts.js';
import { amountMembers, amountOf, currency, type StatedAmount, typedFault } from '../../state/country.js';
import { isTracked, jointWallets } from '../../state/dataset.js';
import { ask } from '../../state/query.js';
import type { PageQuestion, QuestionId } from '../../state/questions.js';
import type { Report } from '../../state/report.js';
import type { Row } from '../../state/rows.js';
import {
  decide,
  decisionOf,
  isLeftUnknown,
  leaveUnknown,
  type StatedRow,
  type Statements,
} from '../../state/statements.js';
import { WALLETS_UNFOLDED_MAX } from '../../values/addresses.js';
import { isDay, readableDay } from '../../values/dates.js';
import { forInput, typedDecimal } from '../../values/decimal.js';
import { LOCALE } from '../../values/language.js';
import { type DayOrder, isoDay } from '../../values/pasted-table.js';

interface QuestionProps {
  readonly question: PageQuestion;
  /** Number of wallets in the report. */
  readonly wallets: number;
  readonly children: () => ComponentChildren;
}

/**
 * A question that the user can expand. Its content is rendered only when open, because a wallet may have thousands of
 * items.
 */
export function Question({ question: { id, title, left }, wallets, children }: QuestionProps) {
  const [isFirst] = useState(OPEN_AT_FIRST.includes(id) && left > 0 && wallets <= WALLETS_UNFOLDED_MAX);
  const [wasOpen, setOpen] = useState(isFirst);
  return (
    <details class="question" open={isFirst} onToggle={() => setOpen(true)}>
      <summary id={id}>
        <h3>{title}</h3>
        <span class={`count ${left === 0 ? 'done' : ''}`}>
          {left === 0 ? 'settled' : `${left.toLocaleString(LOCALE)} open`}
        </span>
      </summary>
      {wasOpen && <div class="question-body">{children()}</div>}
    </details>
  );
}

/** Questions that are expanded at first, because their answers change a tax return. With many wallets, all are folded. */
const OPEN_AT_FIRST: readonly QuestionId[] = ['receipts', 'complete', 'own-transfers', 'sends', 'places'];

/** A button for items about which the user has no answer. Their amounts stay unknown, and the files say so. */
export const LeaveUnknown = ({
  keys,
  stated,
}: {
  readonly keys: readonly StatedRow[];
  readonly stated: Statements;
}) => {
  const isLeft = keys.every((key) => isLeftUnknown(key, stated));
  return (
    <button type="button" class="quiet small" aria-pressed={isLeft} onClick={() => leaveUnknown(keys, !isLeft)}>
      {keys.length > 1 ? 'Leave all unknown' : 'Leave unknown'}
    </button>
  );
};

/** Expands the first of these questions that the page shows, and scrolls to it. */
export function openQuestion(...ids: readonly QuestionId[]): void {
  const id = ids.find((one) => document.getElementById(one)) ?? 'settle-title';
  const question = document.getElementById(id)?.parentElement;
  if (question instanceof HTMLDetailsElement) question.open = true;
  goTo(id);
}

interface TrackedWalletProps {
  /** Wallet of the report, and the other side of a payment. */
  readonly row: Pick<Row, 'address' | 'counterparty'>;
  readonly shown: Report;
}

/** Returns whether a payment's other side is also a wallet of this server, but not of this report. */
export const isToTracked = ({ row: { counterparty }, shown: { query: question } }: TrackedWalletProps): boolean =>
  isTracked(counterparty) && !question.addresses.includes(counterparty);

/** Proposes that coins stayed with the user. Nothing counts before the user answers. */
export const TrackedWalletNote = ({ row, shown }: TrackedWalletProps) =>
  isToTracked({ row, shown }) && (
    <p class="fine">
      This server was set up for these wallets, so they are probably yours.{' '}
      {jointWallets().length > 0 && (
        <>
          The coins keep their cost if you{' '}
          <button type="button" class="link" onClick={() => ask({ ...shown.query, addresses: jointWallets() })}>
            show all your wallets in one report
          </button>
          .
        </>
      )}
    </p>
  );

interface OrderOfDayProps {
  /** A date that can be read in both orders. */
  readonly day: string;
  readonly decide: (order: DayOrder) => void;
}

/** Asks which part of a pasted date is the month. */
export const OrderOfDay = ({ day, decide: choose }: OrderOfDayProps) => (
  <fieldset class="notice choices">
    <legend class="whole">Order of month and day</legend>
    <span>What day is {day}?</span>
    {(['month-first', 'day-first'] as const).map((order) => (
      <button key={order} type="button" class="quiet small" onClick={() => choose(order)}>
        {readableDay(isoDay(day, order))}
      </button>
    ))}
  </fieldset>
);

interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly fault?: string | undefined;
  readonly type?: 'text' | 'date';
  readonly change: (value: string) => void;
}

export const TextField = ({ id, label, hint, value, fault, type = 'text', change }: TextFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      type={type as 'text'}
      {...(type === 'text' && { inputMode: 'decimal' as const })}
      autocomplete="off"
      value={value}
      aria-invalid={fault !== undefined}
      aria-describedby={`${id}-hint`}
      onInput={(event) => change(event.currentTarget.value)}
    />
    <p id={`${id}-hint`} class={fault ? 'hint fault' : 'hint'}>
      {fault ?? hint}
    </p>
  </div>
);

/**
 * Returns the error of an acquisition day that the user typed; undefined if the day is valid.
 * @param latest last valid day: the day of the receipt
 */
export const faultOfDay = (day: string, latest: string): string | undefined => {
  if (day === '') return undefined;
  if (!isDay(day)) return 'A day such as 2024-05-31';
  return day > latest ? `Not after ${latest}` : undefined;
};

interface AmountFormProps {
  readonly row: Row;
  readonly member: StatedAmount;
}

/** A form for the cost and acquisition day of a receipt, or for the value of a row without a price. */
export function AmountForm({ row, member }: AmountFormProps) {
  const known = decisionOf(row);
  const isValue = member === 'value';
  const [cost, setCost] = useState(forInput(amountOf(known, member)));
  const [day, setDay] = useState(known?.acquired_date ?? '');
  const amount = typedDecimal(cost);
  const costFault = cost === '' ? undefined : typedFault(cost);
  const dayFault = faultOfDay(day, row.date.slice(0, 10));
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (amount === undefined || costFault || dayFault) return;
    decide([row], { mode: 'override', ...amountMembers(member, amount), ...(day && { acquired_date: day }) });
  };
  return (
    <form class="inline-form" onSubmit={save} noValidate>
      <TextField
        id={`${member}-${row.id}`}
        label={isValue ? `Value in ${currency.value.words} on that day` : `Cost in ${currency.value.words}`}
        value={cost}
        fault={costFault}
        change={setCost}
      />
      {!isValue && (
        <TextField
          id={`since-${row.id}`}
          label="Date acquired"
          hint="Leave empty for that day."
          type="date"
          value={day}
          fault={dayFault}
          change={setDay}
        />
      )}
      <div class="actions">
        <button type="submit" class="button small" disabled={amount === undefined || costFault !== undefined}>
          {isValue ? 'Use this value' : 'Use this cost'}
        </button>
        {known && (
          <button type="button" class="quiet small" onClick={() => decide([row], undefined)}>
            Take back
          </button>
        )}
      </div>
    </form>
  );
}
