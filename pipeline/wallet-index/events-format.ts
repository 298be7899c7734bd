/**
 * The format of a wallet's priced events in the wallet index: JSON text of plain arrays, amounts as text, in segments, so that a
 * request reads a small wallet in one step and a huge one segment by segment.
 */
import type { PricedEvent } from '../../schemas/types.generated.js';

/** Rows of one segment at the most. */
export const SEGMENT_ROWS = 512;

/** Options with which writer and reader open the index: a folder with an LMDB environment whose values are bytes, texts in UTF-8. */
export const INDEX_OPTIONS = { encoding: 'binary', noSubdir: false } as const;

/** Rows above which no default answer is stored: it is made from the segments, one by one, when asked. */
export const STORED_ANSWER_ROWS = 20_000;

/** Keys of the index (LMDB orders them by their parts). */
export const walletKey = {
  /**
   * → gzip member of the default answer of /events for this one address behind its head, byte for byte: the head names the
   * generation, which has no name while this is made. No such key for a wallet of more
   * than STORED_ANSWER_ROWS rows, nor for one with flagged receipts: without decisions there is no such answer.
   */
  events: (address: string) => ['event list', address],
  /** → text of segment n (from 0), see segmentText. A wallet without rows has no key at all. */
  segment: (address: string, n: number) => ['rows', address, n],
  /** → JSON text of an Extent. */
  extent: (address: string) => ['extent', address],
  /** → text of what the wallet held before the index, see opening-format.ts. A wallet that held nothing has no such key. */
  opening: (address: string) => ['opening', address],
  /** → text of the wallet's flagged receipts, see serializeFlagged. A wallet without any has no such key. */
  flagged: (address: string) => ['flagged', address],
  /** → JSON text [["YYYY-MM-DD", micro-USD as text], …] in ascending order of days. */
  prices: (denom: string) => ['prices', denom],
  /**
   * → text of the wallet's balances by day, see serializeLiquid; of its delegations and of its unbonding entries. A key only for
   * rows.
   */
  liquid: (address: string) => ['liquid', address],
  intervals: (address: string) => ['intervals', address],
  unbonding: (address: string) => ['unbonding', address],
  /** → text of a validator's days and slashes, see serializeValidator. */
  validator: (operator: string) => ['validator', operator],
  /** → JSON text [[operator address, moniker, whether it is on chain], …]: every validator that is known. */
  validators: () => ['validators'],
  /** → text of what a validator paid out in a month (YYYY-MM), see serializePayouts. A key only where it did. */
  payouts: (operator: string, month: string) => ['payouts', operator, month],
  /** → text of a validator's commission that was not withdrawn by the end of each month, see serializeAccrued. */
  accrued: (operator: string) => ['accrued', operator],
  /** → text of the index's days with their last blocks, see serializeDays. No such key where holdings are not folded. */
  days: () => ['days'],
};

/** The rows of a wallet, counted, and the times of the first and the last one. */
export interface Extent {
  readonly rows: number;
  readonly segments: number;
  readonly first: string;
  readonly last: string;
}

const units = (value: string | null) => (value === null ? null : BigInt(value));

/** A row as pipeline/tables/event_lines.sql makes it. */
type EventTuple = [
  height: number,
  position: number,
  id: string,
  time: string,
  txHash: string,
  category: string,
  sent: [string, string, string | null] | null,
  received: [string, string, string | null] | null,
  fee: [string, string, string | null] | null,
  counterparty: string | null,
  validator: string | null,
  rewardTrigger: string | null,
  detail: string,
  memo: string,
  link: string | null,
  toOwnKey: 0 | 1,
  unsolicited: 0 | 1,
];

/** Makes the text of a segment from rows of one wallet in order, as pipeline/tables/event_lines.sql makes them. */
export const segmentText = (rows: readonly string[]) => `[${rows.join(',')}]`;

/** Parses such rows: their events, in order. */
export const eventsOf = (address: string, rows: readonly string[]) => parseEvents(address, segmentText(rows));

/** Parses the text of a segment: its events, in order. */
export function parseEvents(address: string, segment: string): PricedEvent[] {
  return (JSON.parse(segment) as EventTuple[]).map((p) => ({
    address,
    height: p[0],
    position: p[1],
    id: p[2],
    time: p[3],
    tx_hash: p[4],
    category: p[5],
    sent_amount: units(p[6]?.[0] ?? null),
    sent_denom: p[6]?.[1] ?? null,
    sent_price: units(p[6]?.[2] ?? null),
    received_amount: units(p[7]?.[0] ?? null),
    received_denom: p[7]?.[1] ?? null,
    received_price: units(p[7]?.[2] ?? null),
    fee_amount: units(p[8]?.[0] ?? null),
    fee_denom: p[8]?.[1] ?? null,
    fee_price: units(p[8]?.[2] ?? null),
    counterparty: p[9],
    validator: p[10],
    reward_trigger: p[11],
    detail: p[12],
    memo: p[13],
    link: p[14],
    to_own_key: p[15] === 1,
    unsolicited: p[16] === 1,
  }));
}
