/** Formats of a wallet's rows in the wallet index: priced events as JSON arrays in segments, receipts, opening holdings. */
import type { FlaggedReceipt, PricedEvent } from '../../../schemas/types.generated.js';

export const SEGMENT_ROWS = 512;

/** LMDB options of writer and reader. */
export const INDEX_OPTIONS = { encoding: 'binary', noSubdir: false } as const;

/** LMDB orders keys by their parts. */
export const walletKey = {
  /** → segment n from 0 (eventsFormat). Absent if the wallet has no rows. */
  segment: (address: string, n: number) => ['rows', address, n],
  /** → Extent as JSON. */
  extent: (address: string) => ['extent', address],
  /** → holdings before the index (parseOpening). Absent if there are none. */
  opening: (address: string) => ['opening', address],
  /** → flagged receipts (flaggedFormat). Absent if there are none. */
  flagged: (address: string) => ['flagged', address],
  /** → JSON [["YYYY-MM-DD", micro-USD as text], …], ascending. */
  prices: (denom: string) => ['prices', denom],
  /** → daily balances (liquidFormat), delegations and unbonding entries. Absent if there are none. */
  liquid: (address: string) => ['liquid', address],
  intervals: (address: string) => ['intervals', address],
  unbonding: (address: string) => ['unbonding', address],
  /** → days and slashes (validatorFormat). */
  validator: (operator: string) => ['validator', operator],
  /** → JSON [[operator address, moniker, whether it is on chain], …]. */
  validators: () => ['validators'],
  /** → payouts of a month, YYYY-MM (payoutsFormat). Absent if there are none. */
  payouts: (operator: string, month: string) => ['payouts', operator, month],
  /** → unwithdrawn commission at month ends (accruedFormat). */
  accrued: (operator: string) => ['accrued', operator],
  /** → indexed days and their last blocks (daysFormat). Absent without holdings. */
  days: () => ['days'],
};

/** Row count and times of a wallet. */
export interface Extent {
  readonly rows: number;
  readonly segments: number;
  readonly first: string;
  readonly last: string;
}

const units = (value: string | null) => (value === null ? null : BigInt(value));

/** A row of pipeline/tables/event_lines.sql. */
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

export const eventsOf = (address: string, rows: readonly string[]) =>
  eventsFormat.parse(address, eventsFormat.serialize(rows));

/** Rows of a segment. */
export const eventsFormat = {
  serialize: (rows: readonly string[]): string => `[${rows.join(',')}]`,
  parse(address: string, segment: string): PricedEvent[] {
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
  },
};

/** Parses denom → base units (pipeline/tables/event_lines.sql). */
export function parseOpening(text: string | undefined): ReadonlyMap<string, bigint> {
  const amounts: Record<string, string> = text === undefined ? {} : JSON.parse(text);
  return new Map(Object.entries(amounts).map(([denom, amount]) => [denom, BigInt(amount)]));
}

type FlaggedTuple = [
  recordId: string,
  height: number,
  position: number,
  time: string,
  txHash: string,
  denom: string,
  quantity: string,
  sender: string | null,
  memo: string,
  reason: FlaggedReceipt['reason'],
  evidence: string,
  claimedSymbol: string,
];

export const flaggedFormat = {
  serialize(receipts: readonly FlaggedReceipt[]): string {
    return JSON.stringify(
      receipts.map(
        (r): FlaggedTuple => [
          r.record_id,
          r.height,
          r.position,
          r.time,
          r.tx_hash,
          r.denom,
          r.quantity.toString(),
          r.sender,
          r.memo,
          r.reason,
          r.evidence,
          r.claimed_symbol,
        ],
      ),
    );
  },
  parse(address: string, text: string): FlaggedReceipt[] {
    return (JSON.parse(text) as FlaggedTuple[]).map((p) => ({
      record_id: p[0],
      address,
      height: p[1],
      position: p[2],
      time: p[3],
      tx_hash: p[4],
      denom: p[5],
      quantity: BigInt(p[6]),
      sender: p[7],
      memo: p[8],
      reason: p[9],
      evidence: p[10],
      claimed_symbol: p[11],
    }));
  },
};
