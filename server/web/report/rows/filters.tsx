import { assetsOfRows, EVERY_ROW, type Filter, filter, kindsOfRows } from '../../state/filter.js';
import { report } from '../../state/report.js';
import { monthsBetween, readableMonth } from '../../values/dates.js';

/** Option for several categories, set when a figure's rows are shown. */
const SEVERAL = ' several';

export function Filters() {
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
