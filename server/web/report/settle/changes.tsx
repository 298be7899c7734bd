/** Shows, in a bar at the bottom of the screen, how the user's last answer changed the amounts. */
import type { ComponentChildren, FunctionComponent } from 'preact';
import type { TaxYear } from '../../../../schemas/types.generated.js';
import { waiting } from '../../api/client.js';
import { focusOn, goTo, Usd } from '../../parts.js';
import { country } from '../../state/country.js';
import { openItems, questions } from '../../state/questions.js';
import { before, failure, isLoading, type Report, report, undecided } from '../../state/report.js';
import { fromElsewhere } from '../../state/saved-statements.js';
import { openSends } from '../../state/sends.js';
import { statements } from '../../state/statements.js';
import { Sum, unknownGain } from '../country-parts.js';
import { Gain, Income, readyWords } from '../parts.js';
import { openQuestion } from './question.js';

type Sheet = Report['summary']['total'];

interface ShowProps {
  readonly sheet: Sheet;
  readonly value: string;
}

const ShowUsd = ({ value }: ShowProps) => <Usd value={value} />;

type Figure = readonly [name: string, of: (sheet: Sheet) => string, Show: FunctionComponent<ShowProps>];

const FIGURES: readonly Figure[] = [
  ['Income', (sheet) => sheet.income_usd, Income],
  ['Sold', (sheet) => sheet.disposed.proceeds_usd, ShowUsd],
  ['Gains and losses', (sheet) => sheet.disposed.gain_usd, ({ sheet }) => <Gain of={sheet.disposed} />],
  ['Sold at unknown cost', (sheet) => sheet.disposed.proceeds_basis_unknown_usd, ShowUsd],
  ['Network fees', (sheet) => sheet.fees_usd, ShowUsd],
];

/**
 * Without changes, renders an empty live region, so that screen readers announce later changes.
 * @param id id of the bar; a dialog uses another id for its own bar, because it covers the page's bar
 */
export function Changes({ id = 'changes' }: { readonly id?: string }) {
  const [earlier, shown] = [before.value, report.value];
  const closeFailure = () => {
    failure.value = '';
    focusOn(id);
  };
  const close = () => {
    before.value = undefined;
    fromElsewhere.value = '';
    focusOn(id);
  };
  return (
    <div class="changes screen" role="status" id={id} tabIndex={-1}>
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
        (earlier || fromElsewhere.value) && (
          <Bar close={close}>
            {earlier && <Changed earlier={earlier} now={shown} />} {fromElsewhere}{' '}
            {id === 'changes' && <Next shown={shown} />}
          </Bar>
        )
      )}
    </div>
  );
}

/**
 * Explains that the last answer was not applied. If the API rejected the answer, it was reverted. If the request
 * failed, the answer stays and is sent again with the next one.
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

/** Sums of a country's year that an answer may change. */
const YEAR_FIGURES: readonly (readonly [name: string, of: (year: TaxYear) => string | null])[] = [
  ['Income', ({ income }) => income.total],
  ['Sold', ({ disposals }) => disposals.proceeds],
  ['Gain or loss', ({ disposals }) => disposals.gain],
  ['Sold at unknown cost', ({ disposals }) => disposals.unknown.proceeds],
];

interface ChangedProps {
  readonly earlier: Report;
  readonly now: Report;
}

/** Returns the changed sums of a report, each with the values before and now. */
function changesOf({
  earlier,
  now,
}: ChangedProps): readonly (readonly [string, ComponentChildren, ComponentChildren])[] {
  const [yearBefore, year] = [earlier.taxYear, now.taxYear];
  if (country.value) {
    if (!yearBefore || !year) return [];
    const shown = (value: string | null, one: TaxYear) => <Sum value={value} unknown={unknownGain(one)} />;
    return YEAR_FIGURES.filter(([, of]) => of(yearBefore) !== of(year)).map(
      ([name, of]) => [name, shown(of(yearBefore), yearBefore), shown(of(year), year)] as const,
    );
  }
  const sheets = [earlier.summary.total, now.summary.total] as const;
  return FIGURES.filter(([, of]) => of(sheets[0]) !== of(sheets[1])).map(([name, of, Show]) => {
    const [old, changed] = sheets.map((sheet) => <Show key={name} sheet={sheet} value={of(sheet)} />);
    return [name, old, changed] as const;
  });
}

function Changed({ earlier, now }: ChangedProps) {
  const changed = changesOf({ earlier, now });
  const fewer = openItems(earlier) - questions.value.reduce((sum, { left }) => sum + left, 0);
  return (
    <>
      <strong>Your answer is applied.</strong> {changed.length === 0 && 'It changes no total of this period.'}
      {changed.map(([name, old, now]) => (
        <span key={name} class="change">
          {' '}
          {name}: {old} <span aria-hidden="true">→</span>
          <span class="whole">is now</span> {now}
        </span>
      ))}
      {fewer > 0 && <span class="change"> {fewer} fewer open questions.</span>}
    </>
  );
}

/** Links to the next step: the next open question, or the downloads if nothing is open. */
function Next({ shown }: { readonly shown: Report }) {
  const [left, sales] = [undecided(shown).length, openSends(shown)];
  if (left > 0) {
    return (
      <span class="change">
        {left === 1 ? 'One suspicious incoming transfer is left.' : `${left} suspicious incoming transfers are left.`}{' '}
        <button type="button" class="link" onClick={() => openQuestion('receipts')}>
          Go on
        </button>
      </span>
    );
  }
  return (
    <span class="change">
      {readyWords(sales)}{' '}
      {sales > 0 && (
        <button type="button" class="link" onClick={() => openQuestion('sends')}>
          Go on
        </button>
      )}{' '}
      <button type="button" class="link" onClick={() => goTo('downloads-title')}>
        Go to downloads
      </button>
    </span>
  );
}
