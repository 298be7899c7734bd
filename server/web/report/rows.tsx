/** The table of all rows, with search, filters and tags. */
import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { waiting } from '../api/client.js';
import { goTo, Section } from '../parts.js';
import { country } from '../state/country.js';
import { report } from '../state/report.js';
import {
  isComplete,
  isReading,
  isStopped,
  kindsOfRows,
  loaded,
  localTime,
  type Row,
  readRest,
  rowsFailure,
  stopLoading,
} from '../state/rows.js';
import { monthsBetween, readableMonth } from '../values/dates.js';
import { LOCALE } from '../values/language.js';
import { CountsAs, isSale, valueWords } from './counts-as.js';
import { ExplainPanel } from './explain.js';
import { Missing, Moment, RowAmounts, TagChoice } from './parts.js';

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
    {rows.toLocaleString(LOCALE)} of {loaded.value.rows.length.toLocaleString(LOCALE)} transactions,{' '}
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
      <progress value={loadedParts} max={parts} aria-label="Transactions loaded" /> {rows.length.toLocaleString(LOCALE)}{' '}
      transactions
      {waiting.value > 0 && `, on in ${waiting.value} s`}{' '}
      <button type="button" class="quiet small" onClick={stopLoading}>
        Stop
      </button>
    </p>
  );
}

/** Value of the category filter when several categories are selected. A click on an amount can select several. */
const SEVERAL = ' several';
/** Value of the category filter when it selects the rows that count as sales. */
const SALES = ' sales';

function Filters() {
  const wanted = filter.value;
  const change = (part: Partial<Filter>) => {
    filter.value = { ...wanted, ...part };
  };
  const { start, end } = report.value?.summary ?? { start: '', end: '' };
  const ofCategories = wanted.categories.length > 1 ? SEVERAL : (wanted.categories[0] ?? '');
  const kind = wanted.areSales ? SALES : ofCategories;
  const choose = (value: string) =>
    change({ areSales: value === SALES, categories: value === '' || value === SALES ? [] : [value] });
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
        <select value={kind} onChange={({ currentTarget: { value } }) => value !== SEVERAL && choose(value)}>
          <option value="">All kinds</option>
          <option value={SALES}>All sales</option>
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

const OVERSCAN = 4;

interface RowTableProps {
  readonly rows: readonly Row[];
  readonly explain: (row: Row) => void;
}

/**
 * Renders only the visible rows and some rows around them, between two spacers. `aria-rowindex` gives screen readers
 * each row's position. Row elements are reused, because creating new ones made scrolling slow.
 */
function RowTable({ rows, explain }: RowTableProps) {
  const scroller = useRef<HTMLElement>(null);
  const [first, setFirst] = useState(0);
  const [inView, setInView] = useState(20);
  const measure = () => {
    const { scrollTop, clientHeight } = scroller.current!;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const height = rem * Number.parseFloat(getComputedStyle(scroller.current!).getPropertyValue('--row'));
    setFirst(Math.floor(scrollTop / height));
    setInView(Math.ceil(clientHeight / height) + 1);
  };
  // Scrolls to the top when other rows are selected, but not when only a tag changed.
  useLayoutEffect(() => {
    scroller.current!.scrollTop = 0;
  }, [filter.value, newestFirst.value]);
  useLayoutEffect(measure, [rows]);
  const from = Math.max(0, Math.min(first, rows.length - inView) - OVERSCAN);
  const lines = inView + 2 * OVERSCAN;
  const to = Math.min(rows.length, from + lines);
  return (
    <section
      class="scroller rows"
      ref={scroller}
      onScroll={measure}
      tabIndex={0}
      aria-label="Table of transactions"
      aria-busy={isReading.value}
    >
      <table class="figures" aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Date</th>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Amount
            </th>
            {!country.value && (
              <th scope="col" class="number wide-only">
                Counts as
              </th>
            )}
            <th scope="col" class="wide-only">
              Tag
            </th>
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} />
          {rows.slice(from, to).map((row, i) => (
            <RowLine key={(from + i) % lines} row={row} index={from + i + 2} explain={explain} />
          ))}
          <Spacer rows={rows.length - to} />
        </tbody>
      </table>
      {rows.length === 0 && isComplete.value && <p class="empty">No matching transactions.</p>}
    </section>
  );
}

const Spacer = ({ rows }: { readonly rows: number }) =>
  rows === 0 ? null : <tr class="spacer" style={{ height: `calc(${rows} * var(--row))` }} />;

interface RowLineProps {
  readonly row: Row;
  /** The row's aria-rowindex; the table header has 1. */
  readonly index: number;
  readonly explain: (row: Row) => void;
}

function RowLine({ row, index, explain }: RowLineProps) {
  const line = useRef<HTMLTableRowElement>(null);
  // Drops the focus when the element is reused for another row. Otherwise keys would act on the wrong row.
  useLayoutEffect(() => () => dropFocus(line.current!), [row.id]);
  return useMemo(
    () => (
      <tr aria-rowindex={index} ref={line}>
        <td>
          <Moment value={row.date} withTime />
        </td>
        <td class="what">
          <button type="button" class="link" onClick={() => explain(row)}>
            {row.categoryLabel}
          </button>
          <span class="detail">{detailOf(row)}</span>
        </td>
        <td class="number">
          <RowAmounts row={row} />
          {!country.value && <span class="narrow-only">{valueWords(row)}</span>}
        </td>
        {!country.value && (
          <td class="number wide-only">
            <CountsAs row={row} />
          </td>
        )}
        <td class="wide-only">
          <TagChoice row={row} />
        </td>
      </tr>
    ),
    [row, index, explain, country.value],
  );
}

function dropFocus(within: Element): void {
  const { activeElement } = document;
  if (activeElement instanceof HTMLElement && within.contains(activeElement)) activeElement.blur();
}

/**
 * Returns a row's detail, without a list of receivers. Strangers choose some of these texts, so they are shown as plain
 * text without links.
 */
const detailOf = ({ validatorMoniker, detail, counterparty }: Row): string =>
  validatorMoniker || detail.replace(/, in base units: .*/, '') || counterparty;

interface Filter {
  readonly text: string;
  /** Selected categories. An empty list selects all categories. */
  readonly categories: readonly string[];
  /** Selects the rows that count as sales. */
  readonly areSales: boolean;
  /** Selected asset; '' selects all assets. */
  readonly asset: string;
  readonly month: string;
}

const EVERY_ROW: Filter = { text: '', categories: [], areSales: false, asset: '', month: '' };

const filter = signal<Filter>(EVERY_ROW);

/** Shows the rows of an amount: sets the filter and scrolls to the table. */
export function showRows(wanted: Partial<Filter>): void {
  filter.value = { ...EVERY_ROW, ...wanted };
  goTo('rows-title');
}

const newestFirst = signal(true);

const SEARCHED = [
  'categoryLabel',
  'detail',
  'txHash',
  'counterparty',
  'validatorMoniker',
  'address',
  'userTag',
  'date',
] as const;

function fits(row: Row, { categories, asset, month }: Filter, words: readonly string[]): boolean {
  if (categories.length > 0 && !categories.includes(row.category)) return false;
  if (month !== '' && !localTime(row).startsWith(month)) return false;
  if (asset !== '' && ![row.sentCurrency, row.receivedCurrency, row.feeCurrency].includes(asset)) return false;
  return words.every((word) => SEARCHED.some((name) => row[name].toLowerCase().includes(word)));
}

const shownRows = computed<readonly Row[]>(() => {
  const wanted = filter.value;
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = report.value;
  const rows = loaded.value.rows.filter(
    (row) => fits(row, wanted, words) && (!wanted.areSales || (shown !== undefined && isSale(row, shown))),
  );
  const order = newestFirst.value ? -1 : 1;
  return rows.sort((a, b) => (a.date < b.date ? -order : a.date > b.date ? order : 0));
});

const assetsOfRows = computed<readonly string[]>(() => {
  const symbols = new Set<string>();
  for (const { sentCurrency, receivedCurrency, feeCurrency } of loaded.value.rows) {
    for (const symbol of [sentCurrency, receivedCurrency, feeCurrency]) if (symbol !== '') symbols.add(symbol);
  }
  return [...symbols].sort();
});
