import { useState } from 'preact/hooks';
import type { FlaggedReceiptRecord } from '../../../../schemas/types.generated.js';
import { dataset } from '../../state/dataset.js';
import { showRows } from '../../state/filter.js';
import { type Report, rowOf } from '../../state/report.js';
import { isComplete, loaded, type Row } from '../../state/rows.js';
import { decisionOf, tagOf } from '../../state/statements.js';
import { Question } from './question.js';
import { ReceivedGroup } from './received-group.js';

/** Groups shown at first, and added by each press of the button. */
const GROUPS_SHOWN = 20;

export function UnknownCosts({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(GROUPS_SHOWN);
  const rows = unknownReceipts(shown);
  const groups = grouped(rows);
  const unsaid = rows.filter((row) => !isAnswered(row, shown));
  if (!hasUnknownCosts(shown)) return null;
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

/** Value statuses without a price; `stated` keeps an answered row in the list. */
const NO_PRICE: readonly string[] = ['no_price', 'stated'];

/** Counts receipts of unknown cost as the journal does. */
const countedBy = ({ summary }: Report): number =>
  summary.total.open.find(({ question }) => question === 'receipts_of_unknown_basis')?.count ?? 0;

export const hasUnknownCosts = (shown: Report): boolean => countedBy(shown) > 0 || unknownReceipts(shown).length > 0;

/** Hint for returned coins: only the lots show whether their cost is unknown. */
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

/** Returns the receipts without a known basis, except spam and transfers carried between own wallets. */
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
