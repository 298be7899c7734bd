/** Sends: coins that left for somebody else. They count as sales until the user answers what they were. */
import { batch, computed, effect } from '@preact/signals';
import { country, hasGains } from './country.js';
import { dataset } from './dataset.js';
import type { ReportQuery } from './query.js';
import { type Report, report } from './report.js';
import { isComplete, loaded, type Row } from './rows.js';
import { applyRemembered, areWalletsMine, carries, tagOf, tagSends } from './statements.js';

const UNEXPLAINED = 'Transfers Out: Unclassified';
const REFUND = 'ibc_refund';

/** All sends in the loaded rows, in chain order, answered or not. Refunded sends are left out. */
export const sends = computed<readonly Row[]>(() => {
  const unexplained = new Set(dataset.value?.unexplained_out ?? []);
  const sent = new Map<string, Row[]>();
  for (const row of loaded.value.rows) {
    if (row.category === REFUND) sent.get(coinsOf(row, row.receivedDenom, row.receivedAmount))?.pop();
    // Leaves out sends to the wallet's own key on another chain, because they are not taxable and have no tag.
    if (!unexplained.has(row.category) || row.sentAmount === '' || !(row.taxable || row.userTag)) continue;
    const key = coinsOf(row, row.sentDenom, row.sentAmount);
    const same = sent.get(key);
    if (same) same.push(row);
    else sent.set(key, [row]);
  }
  return [...sent.values()].flat().sort((a, b) => a.height - b.height);
});

const coinsOf = ({ address }: Row, denom: string, amount: string) => `${address} ${denom} ${amount}`;

/**
 * Returns the sends that the question about sends lists. Transfers between the user's wallets belong to another
 * question.
 */
export function sendsInQuestion(shown: Report): readonly Row[] {
  if (!hasGains.value) return [];
  const isBetween = betweenWallets(shown);
  return sends.value.filter((row) => !isBetween(row));
}

/** Counts the unanswered sends, which count as sales. */
export function openSends(shown: Report): number {
  if (!hasGains.value) return 0;
  const { query, stated, summary } = shown;
  const unexplained = summary.total.disposals.filter(({ account }) => account === UNEXPLAINED);
  const counted = unexplained.reduce((sum, { count, refunds }) => sum + count - refunds, 0);
  if (carries(query, stated)) return counted;
  const isBetween = betweenWallets(shown);
  const between = sends.value.filter((row) => isBetween(row) && tagOf(row, stated) === '').length;
  return Math.max(0, counted - between);
}

/**
 * Returns a function that tests whether a send goes to another of the wallets. If the user said that not all wallets
 * are theirs, it always returns false. By a country's rules for single wallets, such a send is one like any other.
 */
function betweenWallets({ query, stated, transfers }: Report): (row: Row) => boolean {
  const isOther = country.value ? country.value.scope === 'address' : areWalletsMine(query.addresses, stated) === false;
  const pairs = new Set(isOther ? [] : transfers.map(({ from, to }) => `${from} ${to}`));
  return ({ address, counterparty }) => pairs.has(`${address} ${counterparty}`);
}

/** Tags sends. The tag also applies to open sends to the same receivers in other payments. */
export function decideSends(rows: readonly Row[], name: string): void {
  batch(() => {
    tagSends(rows, name);
    const shown = report.peek();
    if (name !== '' && shown) applyRemembered(sendsInQuestion(shown));
  });
}

let appliedTo: ReportQuery | undefined;

// Applies remembered answers to the sends of a period once, after its rows have loaded.
effect(() => {
  if (!isComplete.value || !dataset.value) return;
  const wanted = report.peek()?.query;
  if (wanted === appliedTo) return;
  appliedTo = wanted;
  applyRemembered(sends.peek());
});
