/** The report of the wallets and days asked for. */

import { goTo } from '../parts/go-to.js';
import { type Asked, wholeYear } from '../state/asked.js';
import { datasetFailure, findDataset } from '../state/dataset.js';
import { isLoading, type Report, undecided } from '../state/report.js';
import { readableDay } from '../values/dates.js';
import { Charts } from './charts.js';
import { CoverageLine } from './coverage-line.js';
import { Downloads } from './downloads/downloads.js';
import { Glance } from './glance/glance.js';
import { daysOf, isOutside } from './recorded-part.js';
import { Rows } from './rows/rows.js';
import { Settle } from './settle/settle.js';
import { Refused } from './states.js';
import { Wallets } from './wallets.js';

export function Sheet({ shown }: { readonly shown: Report }) {
  const { total } = shown.summary;
  const isRecorded = !isOutside(shown);
  return (
    <div class={`sheets ${isLoading.value ? 'stale' : ''}`}>
      <header class="title">
        <h1 tabIndex={-1}>{titleOf(shown.asked)}</h1>
        <p class="lead">
          {daysOf(shown)}
          {shown.asked.addresses.length > 1 && `, ${shown.asked.addresses.length} wallets`}
        </p>
        {isRecorded && <JumpTo shown={shown} />}
      </header>
      {datasetFailure.value && <Refused message={datasetFailure.value} tryAgain={findDataset} />}
      {total.rows === 0 && <Unseen shown={shown} />}
      {isRecorded && <Parts shown={shown} />}
      <CoverageLine shown={shown} />
    </div>
  );
}

const Parts = ({ shown }: { readonly shown: Report }) => (
  <>
    <Glance shown={shown} />
    <Charts shown={shown} />
    <Wallets shown={shown} />
    <Settle shown={shown} />
    <Rows />
    <Downloads shown={shown} />
  </>
);

export function titleOf(asked: Asked): string {
  const year = wholeYear(asked);
  return year ? `Your ${year}` : 'Your report';
}

/** The parts of the report, since it is a long page. What is to be done next stands out. */
function JumpTo({ shown }: { readonly shown: Report }) {
  const left = undecided(shown).length;
  const next = left > 0 ? 'settle' : 'downloads';
  return (
    <nav class="jump screen" aria-label="Parts of the report">
      {PARTS.map(([id, name]) => (
        <button
          key={id}
          type="button"
          class={`small ${id === next ? 'button' : 'quiet'}`}
          onClick={() => goTo(`${id}-title`)}
        >
          {name}
          {id === 'settle' && left > 0 && <span class="count">{left}</span>}
        </button>
      ))}
    </nav>
  );
}

const PARTS = [
  ['glance', 'At a glance'],
  ['charts', 'Through the year'],
  ['settle', 'To settle'],
  ['rows', 'Every row'],
  ['downloads', 'Download'],
] as const;

/** A wallet without rows, which may be a new one, another period's, or a slip of the hand. */
function Unseen({ shown }: { readonly shown: Report }) {
  const { asked, summary } = shown;
  const covered = `The data covers ${readableDay(summary.coverage.index_start)} to ${readableDay(summary.coverage.index_end)};`;
  return (
    <div class="notice" role="status">
      {isOutside(shown) ? (
        <p>
          <strong>These days are not recorded.</strong> Nothing is known of what happened then. {covered} choose another
          period.
        </p>
      ) : (
        <p>
          <strong>
            {asked.addresses.length > 1 ? 'These wallets have' : 'This wallet has'} no rows from{' '}
            {readableDay(summary.start)} to {readableDay(summary.end)}.
          </strong>{' '}
          The address is well formed, so it may simply not have been used then. {covered} try another period, or check
          the address.
        </p>
      )}
    </div>
  );
}
