/** A bar at the bottom of the screen that shows how the last answer changed the amounts. */
import type { ComponentChildren } from 'preact';
import { waiting } from '../../api/client.js';
import { focusOn, goTo, Usd } from '../../parts.js';
import { before, failure, isLoading, type Report, report, undecided } from '../../state/report.js';
import { fromElsewhere } from '../../state/saved-statements.js';
import { statements } from '../../state/statements.js';
import { openQuestion } from './question.js';

type Sheet = Report['summary']['total'];

const FIGURES: readonly (readonly [name: string, of: (sheet: Sheet) => string])[] = [
  ['Income', (sheet) => sheet.income_usd],
  ['Gains and losses', (sheet) => sheet.disposed.gain_usd],
  ['Sold at unknown cost', (sheet) => sheet.disposed.proceeds_basis_unknown_usd],
  ['Network fees', (sheet) => sheet.fees_usd],
];

/** Counts open questions, except days without a price, which the user cannot answer. */
const open = (sheet: Sheet) =>
  sheet.open.reduce((sum, { question, count }) => (question === 'days_without_price' ? sum : sum + count), 0);

/** Without changes, renders an empty live region, so that screen readers announce later changes. */
export function Changes() {
  const [earlier, shown] = [before.value, report.value];
  const sheets = earlier && shown && ([earlier.summary.total, shown.summary.total] as const);
  return (
    <div class="changes screen" role="status" id="changes" tabIndex={-1}>
      {shown && isLoading.value && waiting.value > 0 && (
        <div class="bar-of-changes">
          <p>The server is busy; your answer will be applied in {waiting.value} s…</p>
        </div>
      )}
      {shown && failure.value !== '' ? (
        <Bar class="bad" close={closeFailure}>
          <NotApplied isLeft={statements.value !== shown.stated} /> {failure.value}
        </Bar>
      ) : (
        shown &&
        (sheets || fromElsewhere.value) && (
          <Bar close={close}>
            {sheets && <Changed sheets={sheets} />} {fromElsewhere} <Next left={undecided(shown).length} />
          </Bar>
        )
      )}
    </div>
  );
}

function closeFailure(): void {
  failure.value = '';
  focusOn('changes');
}

function close(): void {
  before.value = undefined;
  fromElsewhere.value = '';
  focusOn('changes');
}

/**
 * If the API refuses an answer, the answer is reverted. If it could not be sent, it stays and is sent with the next
 * one.
 */
const NotApplied = ({ isLeft }: { readonly isLeft: boolean }) =>
  isLeft ? (
    <>
      <strong>Your answer is not applied yet.</strong>{' '}
      <button type="button" class="link" onClick={() => (statements.value = { ...statements.peek() })}>
        Try again
      </button>
    </>
  ) : (
    <strong>Your answer was not applied.</strong>
  );

interface BarProps {
  readonly class?: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

const Bar = ({ class: more = '', close, children }: BarProps) => (
  <div class={`bar-of-changes ${more}`}>
    <p>{children}</p>
    <button type="button" class="quiet small" onClick={close}>
      Close
    </button>
  </div>
);

function Changed({ sheets: [earlier, now] }: { readonly sheets: readonly [Sheet, Sheet] }) {
  const changed = FIGURES.filter(([, of]) => of(earlier) !== of(now));
  const fewer = open(earlier) - open(now);
  return (
    <>
      <strong>Your answer is applied.</strong> {changed.length === 0 && 'It changes no total of this period.'}
      {changed.map(([name, of]) => (
        <span key={name} class="change">
          {' '}
          {name}: <Usd value={of(earlier)} /> <span aria-hidden="true">→</span>
          <span class="whole">is now</span> <Usd value={of(now)} />
        </span>
      ))}
      {fewer > 0 && <span class="change"> {fewer} fewer open questions.</span>}
    </>
  );
}

/** A link to the next step: undecided receipts or the downloads. */
const Next = ({ left }: { readonly left: number }) =>
  left > 0 ? (
    <span class="change">
      {left === 1 ? 'One suspicious incoming transfer is left.' : `${left} suspicious incoming transfers are left.`}{' '}
      <button type="button" class="link" onClick={() => openQuestion('receipts')}>
        Go on
      </button>
    </span>
  ) : (
    <span class="change">
      Your files are ready.{' '}
      <button type="button" class="link" onClick={() => goTo('downloads-title')}>
        Go to downloads
      </button>
    </span>
  );
