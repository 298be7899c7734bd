import { useState } from 'preact/hooks';
import { Address, Coins } from '../../parts.js';
import { dataset, tagsFor } from '../../state/dataset.js';
import { mayHaveComeHome } from '../../state/homecomings.js';
import { returnedAtUnknownCost, returnedKeys, unknownReceipts } from '../../state/questions.js';
import type { Report } from '../../state/report.js';
import { isComplete, type Row } from '../../state/rows.js';
import { stateReturns, tag, tagOf } from '../../state/statements.js';
import { counted, sumOf, unitsOf } from '../../values/decimal.js';
import { Moment, Worth } from '../parts.js';
import { showRows } from '../rows.js';
import { AmountForm, isToTracked, LeaveUnknown, TrackedWalletNote } from './question.js';

/** Number of groups shown at first. Each click on the button shows this many more. */
const GROUPS_SHOWN = 20;

export function UnknownCosts({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(GROUPS_SHOWN);
  const receipts = unknownReceipts(shown);
  const groups = grouped(receipts);
  const isListed = isComplete.value && dataset.value !== undefined;
  return (
    <>
      <p>
        These coins came from another person or from outside these records. Choose what they were, enter their cost if
        you bought them elsewhere, or leave it unknown. Until you know, no gain is computed when you sell them.
      </p>
      {!isListed && <p class="fine">They are listed here after all transactions have loaded.</p>}
      {isListed && groups.length > 1 && (
        <p>
          <LeaveUnknown keys={[...receipts, ...returnedKeys(shown)]} stated={shown.stated} />
        </p>
      )}
      <ul class="items">
        {groups.slice(0, limit).map((group) => (
          <ReceivedGroup key={group[0]!.id} rows={group} shown={shown} />
        ))}
      </ul>
      {groups.length > limit && (
        <p>
          <button type="button" class="quiet small" onClick={() => setLimit(limit + GROUPS_SHOWN)}>
            Show more of the other {groups.length - limit} senders
          </button>
        </p>
      )}
      {isListed && <Returned shown={shown} />}
    </>
  );
}

function Returned({ shown }: { readonly shown: Report }) {
  const categories = dataset.value?.returning ?? [];
  const count = returnedAtUnknownCost(shown);
  if (count === 0) return null;
  return (
    <div>
      <p class="fine">
        {counted(count, 'incoming transfer')} from contracts, deposits, other chains or your own places also{' '}
        {count === 1 ? 'has' : 'have'} unknown cost, because the records do not show that the coins left before.{' '}
        <button type="button" class="link" onClick={() => showRows({ categories })}>
          Show the transactions of returned coins
        </button>
      </p>
      <LeaveUnknown keys={returnedKeys(shown)} stated={shown.stated} />
    </div>
  );
}

/** Groups receipts by sender. The most valuable groups come first, then the largest groups without a price. */
function grouped(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.address} ${row.counterparty} ${row.receivedDenom}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()]
    .map((group) => ({ group, worth: worthOf(group) }))
    .sort((a, b) => Number(b.worth - a.worth) || b.group.length - a.group.length)
    .map(({ group }) => group);
}

/** Returns the market value in units of 10⁻³⁶. Answers do not change it, so an answered group keeps its place. */
const worthOf = (rows: readonly Row[]): bigint =>
  rows.reduce((sum, { receivedAmount, priceUsd }) => sum + unitsOf(receivedAmount) * unitsOf(priceUsd), 0n);

const ROWS_SHOWN = 50;

function ReceivedGroup({ rows, shown }: { readonly rows: readonly Row[]; readonly shown: Report }) {
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
      <TrackedWalletNote row={first} shown={shown} />
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
        {common === '' && isToTracked({ row: first, shown }) && (
          <button type="button" class="button small" onClick={() => tag(rows, 'own_transfer')}>
            From my own wallet
          </button>
        )}
        {rows.every(mayHaveComeHome(shown)) && (
          <button type="button" class="quiet small" onClick={() => stateReturns(rows, true)}>
            Coins that I had sent away before
          </button>
        )}
        <LeaveUnknown keys={rows} stated={shown.stated} />
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
          <Moment value={row.date} withTime /> · <Coins value={row.receivedAmount} symbol={row.receivedCurrency} />
          <Worth row={row} />
        </p>
        <AmountForm row={row} member={needsCostBasis(row) ? 'cost_basis' : 'value'} />
      </li>
    ))}
    {rows.length > ROWS_SHOWN && (
      <li class="fine">
        {rows.length - ROWS_SHOWN} more: choose a category for all of them above, or tag them in the table below.
      </li>
    )}
  </ul>
);

/** Returns true if the cost of the row's coins may differ from their market value, so that the owner must enter it. */
const needsCostBasis = ({ category }: Row): boolean => !dataset.value?.market_basis.includes(category);
