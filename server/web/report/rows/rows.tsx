/** All rows of the report, with search, filters and tags. */
import { useState } from 'preact/hooks';
import { waiting } from '../../api/client.js';
import { goTo } from '../../parts/go-to.js';
import { Missing } from '../../parts/missing.js';
import { Section } from '../../parts/section.js';
import { newestFirst, shownRows } from '../../state/filter.js';
import { isComplete, isStopped, loaded, type Row, readRest, rowsFailure, stopLoading } from '../../state/rows.js';
import { ExplainPanel } from '../explain/explain-panel.js';
import { Filters } from './filters.js';
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
