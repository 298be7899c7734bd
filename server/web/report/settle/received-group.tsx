/** Receipts of one coin from one sender: set a category for all, or the cost of one. */
import { useState } from 'preact/hooks';
import { Address } from '../../parts/address.js';
import { Coins, Moment, Usd } from '../../parts/figure.js';
import { tagsFor } from '../../state/dataset.js';
import type { Row } from '../../state/rows.js';
import { tag, tagOf } from '../../state/statements.js';
import { sumOf } from '../../values/decimal.js';
import { CostForm } from './cost-form.js';

const ROWS_SHOWN = 50;

export function ReceivedGroup({ rows }: { readonly rows: readonly Row[] }) {
  const [first] = rows as [Row];
  const [isOpen, setOpen] = useState(false);
  const common = rows.every((row) => tagOf(row) === tagOf(first)) ? tagOf(first) : '';
  const choice = `said-${first.id}`;
  const coins = (
    <>
      <Coins value={sumOf(rows.map(({ receivedAmount }) => receivedAmount))} symbol={first.receivedCurrency} />
      {rows.length > 1 && ` in ${rows.length} incoming transfers`}
    </>
  );
  return (
    <li class="item">
      <div class="item-head">
        <h4>{coins}</h4>
        <p class="fine">
          {first.categoryLabel} · <Moment value={first.date} />
          {first.counterparty && (
            <>
              {' '}
              · from <Address value={first.counterparty} />
            </>
          )}
        </p>
      </div>
      <div class="said">
        <label for={choice}>
          {rows.length > 1 ? 'They were' : 'It was'}
          <span class="whole">
            {' '}
            ({coins} of <Moment value={first.date} />)
          </span>
        </label>
        <select id={choice} class="tag" value={common} onChange={(event) => tag(rows, event.currentTarget.value)}>
          <option value="">Unknown</option>
          {tagsFor(first).map((one) => (
            <option key={one.tag} value={one.tag} title={one.treatment}>
              {one.label}
            </option>
          ))}
        </select>
        <span class="fine">{tagsFor(first).find((one) => one.tag === common)?.treatment}</span>
      </div>
      <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{rows.length > 1 ? 'Enter the cost of each' : 'Enter its cost'}</summary>
        {isOpen && <Costs rows={rows} />}
      </details>
    </li>
  );
}

const Costs = ({ rows }: { readonly rows: readonly Row[] }) => (
  <ul class="rows-of-group">
    {rows.slice(0, ROWS_SHOWN).map((row) => (
      <li key={row.id}>
        <p>
          <Moment value={row.date} withTime /> · <Coins value={row.receivedAmount} symbol={row.receivedCurrency} /> ·
          worth <Usd value={row.priceMissing ? '' : row.valueUsd} />
        </p>
        <CostForm row={row} />
      </li>
    ))}
    {rows.length > ROWS_SHOWN && (
      <li class="fine">
        {rows.length - ROWS_SHOWN} more: choose a category for all of them above, or tag them in the table below.
      </li>
    )}
  </ul>
);
