import { useState } from 'preact/hooks';
import type { FlaggedReceiptRecord } from '../../../../schemas/types.generated.js';
import { Address, Coins, Moment, Usd } from '../../parts.js';
import { ask } from '../../state/asked.js';
import { dataset, tagsFor } from '../../state/dataset.js';
import { type Report, rowOf } from '../../state/report.js';
import { isComplete, loaded, type Row } from '../../state/rows.js';
import { decide, decisionOf, tag, tagOf } from '../../state/statements.js';
import { dayBefore, readableDay } from '../../values/dates.js';
import { isZero, sumOf, typedDecimal } from '../../values/decimal.js';
import { showRows } from '../rows.js';
import { faultOfDay, Question, TextField } from './question.js';

/** Number of groups shown at first. Each press of the button shows as many more. */
const GROUPS_SHOWN = 20;

/** Whether coins of unknown cost were received in the period or before it. */
export const hasUnknownCosts = (shown: Report): boolean => hasReceipts(shown) || hasEarlierReceipts(shown);

export const UnknownCosts = ({ shown }: { readonly shown: Report }) => (
  <>
    <UnknownReceipts shown={shown} />
    {hasEarlierReceipts(shown) && <EarlierReceipts shown={shown} />}
  </>
);

function UnknownReceipts({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(GROUPS_SHOWN);
  const rows = unknownReceipts(shown);
  const groups = grouped(rows);
  const unsaid = rows.filter((row) => !isAnswered(row, shown));
  if (!hasReceipts(shown)) return null;
  const isListed = isComplete.value && dataset.value !== undefined;
  const left = isListed ? unsaid.length : countedBy(shown);
  return (
    <Question id="unknown-costs" title="Incoming transfers of unknown cost" left={left} isFirst={false}>
      <p>
        These coins came from another person or from outside these records, or arrived on a day without a published
        price. Choose what they were, enter their cost if you bought them elsewhere, or enter their value on a day
        without a price. Until then, no gain is computed when you sell them.
      </p>
      {!isListed && <p class="fine">They are listed here after all transactions have loaded.</p>}
      <ul class="items">
        {groups.slice(0, limit).map((group) => (
          <ReceivedGroup key={group[0]!.id} rows={group} />
        ))}
      </ul>
      {groups.length > limit && (
        <p>
          <button type="button" class="quiet small" onClick={() => setLimit(limit + GROUPS_SHOWN)}>
            Show more of the other {groups.length - limit} senders
          </button>
        </p>
      )}
      {countedBy(shown) > unsaid.length && <Returned />}
    </Question>
  );
}

/** Statuses of a value without a price. `stated` keeps rows that the user has answered in the list. */
const NO_PRICE: readonly string[] = ['no_price', 'stated'];

const countedBy = ({ summary }: Report): number =>
  summary.total.open.find(({ question }) => question === 'receipts_of_unknown_basis')?.count ?? 0;

const hasReceipts = (shown: Report): boolean => countedBy(shown) > 0 || unknownReceipts(shown).length > 0;

/** Hint for coins that returned to the wallet: only the lots show whether their cost is unknown. */
function Returned() {
  const categories = dataset.value?.returning ?? [];
  const count = loaded.value.rows.filter(
    (row) => categories.includes(row.category) && row.receivedAmount !== '',
  ).length;
  if (count === 0) return null;
  return (
    <p class="fine">
      Coins that came back from contracts, deposits or other chains also have unknown cost if the records do not show
      that they left before.{' '}
      <button type="button" class="link" onClick={() => showRows({ categories })}>
        Show the {count.toLocaleString('en-US')} transactions of returned coins
      </button>
    </p>
  );
}

/** Returns receipts of unknown cost, except spam and transfers between the user's wallets that carry their cost. */
function unknownReceipts({ receipts, stated, asked }: Report): Row[] {
  const unknown = new Set(dataset.value?.unknown_basis ?? []);
  const market = new Set(dataset.value?.market_basis ?? []);
  const isUnknown = ({ category, valueStatus }: Row) =>
    unknown.has(category) || (market.has(category) && NO_PRICE.includes(valueStatus));
  const isStored = (receipt: FlaggedReceiptRecord) =>
    ['keep', 'override'].includes(decisionOf(rowOf(receipt), stated)?.mode ?? '');
  const spam = new Set(receipts.filter((one) => !isStored(one)).map(({ record_id }) => record_id));
  const own = new Set(stated.carry ? asked.addresses : []);
  return loaded.value.rows.filter(
    (row) => isUnknown(row) && row.receivedAmount !== '' && !spam.has(row.id) && !own.has(row.counterparty),
  );
}

const isAnswered = (row: Row, { stated }: Report): boolean =>
  tagOf(row, stated) !== '' || decisionOf(row, stated)?.mode === 'override';

function grouped(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.address} ${row.counterparty} ${row.receivedDenom}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

const ROWS_SHOWN = 50;

function ReceivedGroup({ rows }: { readonly rows: readonly Row[] }) {
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

/** Form for the cost and acquisition day of a receipt, or for its market value if that is its cost. */
function CostForm({ row }: { readonly row: Row }) {
  const known = decisionOf(row);
  const isIncome = dataset.value?.market_basis.includes(row.category) ?? false;
  const member = isIncome ? 'value_usd' : 'cost_basis_usd';
  const [cost, setCost] = useState(known?.[member] ?? '');
  const [day, setDay] = useState(known?.acquired_date ?? '');
  const amount = typedDecimal(cost);
  const costFault = cost !== '' && amount === undefined ? 'A plain amount such as 12.50' : undefined;
  const dayFault = faultOfDay(day, row.date.slice(0, 10));
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (amount === undefined || dayFault) return;
    decide([row], { mode: 'override', [member]: amount, ...(day && { acquired_date: day }) });
  };
  return (
    <form class="inline-form" onSubmit={save} noValidate>
      <TextField
        id={`cost-${row.id}`}
        label={isIncome ? 'Value in US dollars on that day' : 'Cost in US dollars'}
        value={cost}
        fault={costFault}
        change={setCost}
      />
      {!isIncome && (
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
        <button type="submit" class="button small" disabled={amount === undefined}>
          {isIncome ? 'Use this value' : 'Use this cost'}
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

/**
 * Returns whether the wallets held coins of unknown cost when the period began. Coins from before the index are a
 * separate question.
 */
const hasEarlierReceipts = ({ summary }: Report): boolean =>
  summary.total.assets.some((asset) => !isZero(asset.opening_basis_unknown_quantity));

function EarlierReceipts({ shown: { asked, summary } }: { readonly shown: Report }) {
  const days = { start: summary.coverage.index_start, end: dayBefore(summary.start) };
  return (
    <p>
      Some coins of unknown cost arrived before this period. Enter their cost in the report of those days: your answer
      counts here, too.{' '}
      <button type="button" class="link" onClick={() => ask({ ...asked, ...days })}>
        Show {readableDay(days.start)} to {readableDay(days.end)}
      </button>
    </p>
  );
}
