/** Sends that their owner answers with "my own wallet", and what each tax program's file must have of them. */
import assert from 'node:assert/strict';
import { formatDecimal, halfUp, parseDecimal, powerOfTen } from '../../../../../pipeline/base/values/amount.js';
import { loadReference } from '../../../../../pipeline/reference.js';
import type { Event } from '../../../../../schemas/types.generated.js';
import { type Cells, requireTemplate } from './templates.js';

/** Where a program's file has the hash, the receiver and the word of a send, and the word of a move. */
const SENDS = {
  koinly: { hash: 'TxHash', receiver: 'Description', word: 'Label', move: '' },
  coinledger: { hash: 'TxHash (Optional)', receiver: 'Description (Optional)', word: 'Type', move: 'Withdrawal' },
  zenledger: { hash: 'Txid', receiver: 'Txid', word: 'Type', move: 'Send' },
  cointracking: { hash: 'Comment', receiver: 'Comment', word: 'Type', move: 'Withdrawal' },
  awaken: { hash: 'Transaction Hash', receiver: 'Notes', word: 'Tag', move: 'internal_transfer' },
  turbotax: { hash: 'Transaction Hash', receiver: 'Description', word: 'Type', move: 'Transfer' },
  taxbit: {
    ...{ hash: 'Blockchain Transaction Hash', receiver: 'Exchange Transaction ID' },
    ...{ word: 'Transaction Type', move: 'Transfer Out' },
  },
  cryptio: { hash: 'txhash', receiver: 'otherParties', word: 'internalTransfer', move: '1' },
  bittytax: { hash: 'Note', receiver: 'Note', word: 'Type', move: 'Withdrawal' },
} as const;

/** CoinTracker's template allows no column for a hash or a receiver, so a send is found by its coin and amount. */
const WITHOUT_HASH = 'cointracker';

export const SEND_PROFILES = [...Object.keys(SENDS), WITHOUT_HASH].sort();

/** Categories of sends. */
const SENT = new Set(
  loadReference()
    .categories.filter(({ out }) => out?.account === 'Transfers Out: Unclassified')
    .map(({ category }) => category),
);

/** Returns sends to others and to own keys on other chains. Refunded packets are none of them. */
export function sendsOf(events: readonly Event[]): Event[] {
  const sent = new Map<string, Event[]>();
  for (const event of events) {
    const { category, sentAmount, sentDenom, receivedAmount, receivedDenom } = event;
    if (category === 'ibc_refund') sent.get(`${receivedDenom} ${receivedAmount}`)?.pop();
    if (!SENT.has(category) || sentAmount === '') continue;
    const key = `${sentDenom} ${sentAmount}`;
    sent.set(key, [...(sent.get(key) ?? []), event]);
  }
  return [...sent.values()].flat();
}

/** Tags the sends that the report page asks about. Sends to own keys need no tag. */
export const ownTags = (sends: readonly Event[]): Record<string, string> =>
  Object.fromEntries(sends.filter(({ taxable }) => taxable).map(({ id }) => [id, 'own_transfer']));

/** Requires that a wallet's file has a row for each send, with its hash and receivers, and that none is a sale. */
export function requireOwnSends(profile: string, text: string, sends: readonly Event[]): void {
  const rows = requireTemplate(profile, text);
  const isFound =
    profile === WITHOUT_HASH
      ? ({ sentAmount, sentCurrency }: Event) =>
          (row: Cells) =>
            row['Sent Quantity'] === rounded(sentAmount) && row['Sent Currency'] === sentCurrency && isPlain(row)
      : findIn(SENDS[profile as keyof typeof SENDS]);
  const left = new Set(rows);
  for (const send of sends) {
    if (ROUNDING.includes(profile) && rounded(send.sentAmount) === '0') continue;
    const found = [...left].find(isFound(send));
    assert.ok(found, `${profile}: ${send.address} ${send.id} ${send.txHash}`);
    left.delete(found);
  }
}

/** Programs that read at most eight decimals. An amount that rounds to zero has no row. */
const ROUNDING = ['cointracker', 'turbotax'];
const [MOST, READ] = [30, 8];

const rounded = (amount: string) => formatDecimal(halfUp(parseDecimal(amount, MOST), powerOfTen(MOST - READ)), READ);

const isPlain = (row: Cells) => row.Tag === '' && row['Received Quantity'] === '';

function findIn({ hash, receiver, word, move }: (typeof SENDS)[keyof typeof SENDS]) {
  return ({ txHash, counterparty, detail }: Event) => {
    const receivers = counterparty === '' ? (detail.match(/\b[a-z]+1[a-z0-9]{38,}/g) ?? []) : [counterparty];
    return (row: Cells) =>
      row[hash]!.includes(txHash) && receivers.every((one) => row[receiver]!.includes(one)) && row[word] === move;
  };
}
