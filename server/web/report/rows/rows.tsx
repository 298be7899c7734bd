/** All rows of the report, with search, filters and tags. */
import { useState } from 'preact/hooks';
import { waiting } from '../../api/client.js';
import { goTo } from '../../parts/go-to.js';
import { Missing } from '../../parts/missing.js';
import { Section } from '../../parts/section.js';
import {
  assetsOfRows,
  EVERY_ROW,
  type Filter,
  filter,
  kindsOfRows,
  newestFirst,
  shownRows,
} from '../../state/filter.js';
import { report } from '../../state/report.js';
import { isComplete, isStopped, loaded, type Row, readRest, rowsFailure, stopLoading } from '../../state/rows.js';
import { monthsBetween, readableMonth } from '../../values/dates.js';
import { ExplainPanel } from '../explain.js';
import { RowTable } from './row-table.js';

export function Rows() {
  const [explained, setExplained] = useState<Row>();
  const rows = shownRows.value;
  return (
    <Section id="rows" title="Transactions" aside={<LoadState />}>
      <Filters />
      {loaded.value.loadedParts > 0 && <Shown rows={rows.length} />}
      <p class="fine screen">
        A tag adds information that only you have, for example that a transaction was a gift. Tags are optional.
      </p>
      <button type="button" class="skip-rows quiet small" onClick={() => goTo('downloads-title')}>
        Skip the transactions
      </button>
      <RowTable rows={rows} explain={setExplained} />
      {explained && <ExplainPanel key={explained.id} row={explained} close={() => setExplained(undefined)} />}
    </Section>
  );
}

const Shown = ({ rows }: { readonly rows: number }) => (
  <p class="fine" role="status">
    {rows.toLocaleString('en-US')} of {loaded.value.rows.length.toLocaleString('en-US')} transactions,{' '}
    {newestFirst.value ? 'newest' : 'oldest'} first.{' '}
    <button type="button" class="link" onClick={() => (newestFirst.value = !newestFirst.value)}>
      {newestFirst.value ? 'Oldest' : 'Newest'} first
    </button>
  </p>
);

function LoadState() {
  const { parts, loadedParts, rows } = loaded.value;
  if (rowsFailure.value) {
    return <Missing message={rowsFailure.value} tryAgain={readRest} />;
  }
  if (isComplete.value || loadedParts === 0) return null;
  if (isStopped.value) {
    return (
      <p class="load-state">
        Stopped: later transactions are not loaded.{' '}
        <button type="button" class="quiet small" onClick={readRest}>
          Load all
        </button>
      </p>
    );
  }
  return (
    <p class="load-state">
      <progress value={loadedParts} max={parts} aria-label="Transactions loaded" />{' '}
      {rows.length.toLocaleString('en-US')} transactions
      {waiting.value > 0 && `, on in ${waiting.value} s`}{' '}
      <button type="button" class="quiet small" onClick={stopLoading}>
        Stop
      </button>
    </p>
  );
}

/** Option for several categories, set when a figure's rows are shown. */
const SEVERAL = ' several';

function Filters() {
  const wanted = filter.value;
  const change = (part: Partial<Filter>) => {
    filter.value = { ...wanted, ...part };
  };
  const { start, end } = report.value?.summary ?? { start: '', end: '' };
  const kind = wanted.categories.length > 1 ? SEVERAL : (wanted.categories[0] ?? '');
  return (
    <search class="filters screen">
      <label>
        <span>Search</span>
        <input
          type="search"
          value={wanted.text}
          placeholder="Hash, address, validator, tag"
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>Kind</span>
        <select
          value={kind}
          onChange={({ currentTarget: { value } }) => value !== SEVERAL && change({ categories: value ? [value] : [] })}
        >
          <option value="">All kinds</option>
          {kind === SEVERAL && <option value={SEVERAL}>{wanted.categories.length} categories</option>}
          {kindsOfRows.value.map(([category, label]) => (
            <option key={category} value={category}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Asset</span>
        <select value={wanted.asset} onChange={(event) => change({ asset: event.currentTarget.value })}>
          <option value="">All assets</option>
          {assetsOfRows.value.map((symbol) => (
            <option key={symbol} value={symbol}>
              {symbol.length > 24 ? `${symbol.slice(0, 16)}…${symbol.slice(-5)}` : symbol}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Month</span>
        <select value={wanted.month} onChange={(event) => change({ month: event.currentTarget.value })}>
          <option value="">All months</option>
          {monthsBetween(start, end).map((month) => (
            <option key={month} value={month}>
              {readableMonth(month)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="quiet" disabled={wanted === EVERY_ROW} onClick={() => change(EVERY_ROW)}>
        Show all
      </button>
    </search>
  );
}
