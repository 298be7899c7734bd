import type { FlaggedReceipt, PricedEvent, Restatement } from '../../../schemas/types.generated.js';

export const SEGMENT_ROWS = 512;

/**
 * LZ4 compression halves the index. Decompression takes a twentieth of the time that parsing takes. The dictionary is
 * empty, because the default one saves 0.1 % of the bytes and takes a sixth of the time.
 */
export const INDEX_OPTIONS = {
  encoding: 'binary',
  noSubdir: false,
  compression: { dictionary: Buffer.alloc(8) },
} as const;

/** Returns the keys of the index's values. The comment on each key describes the value. */
export const walletKey = {
  /** The wallet's events in segments of SEGMENT_ROWS rows, which are numbered from 0 (see eventsFormat). */
  segment: (address: string, n: number) => ['rows', address, n],
  extent: (address: string) => ['extent', address],
  /** The wallet's holdings before the index (see parseOpening). */
  opening: (address: string) => ['opening', address],
  flagged: (address: string) => ['flagged', address],
  /** Changed amounts of closed months, in order (see restatementsFormat). The key is missing if there are none. */
  restatements: (address: string) => ['restatements', address],
  /** JSON list of [YYYY-MM-DD, micro-USD as text], ascending. */
  prices: (denom: string) => ['prices', denom],
  /** JSON list of [YYYY-MM-DD, quotes as in the table prices], ascending. The key is missing if there are none. */
  quotes: (denom: string) => ['quotes', denom],
  /** JSON list of [YYYY-MM-DD, currency, units × 10^6 for one euro as text], ascending. */
  exchangeRates: () => ['exchange-rates'],
  liquid: (address: string) => ['liquid', address],
  /** Days on which the wallet's holdings changed (see trackedDaysFormat). Only in datasets of single wallets. */
  trackedDays: (address: string) => ['own-days', address],
  /** Coins that nodes reported of the wallet (see statesFormat). Only in datasets of single wallets. */
  states: (address: string) => ['states', address],
  /** The wallet's stake after each change (see stakesFormat). Only in datasets of single wallets. */
  stakes: (address: string) => ['stakes', address],
  intervals: (address: string) => ['intervals', address],
  unbonding: (address: string) => ['unbonding', address],
  validator: (operator: string) => ['validator', operator],
  /** JSON list of [operator address, moniker, true if the chain still has the validator]. */
  validators: () => ['validators'],
  /** The validator's payouts in one month, YYYY-MM (see payoutsFormat). */
  payouts: (operator: string, month: string) => ['payouts', operator, month],
  /**
   * Comma-separated addresses of delegators. Payouts name a delegator by its position in the joined lists of all base
   * layers.
   */
  delegators: (operator: string) => ['delegators', operator],
  /** Commission that had not been withdrawn at the end of each month (see accruedFormat). */
  accrued: (operator: string) => ['accrued', operator],
  /** Liquid coins before the index, or at the starting state if it is later (see parseOpening). */
  coins: (address: string) => ['coins', address],
  /** Changes of liquid coins in segments of SEGMENT_ROWS changes, which are numbered from 0 (see movesFormat). */
  moves: (address: string, n: number) => ['moves', address, n],
  /** JSON list of the heights at which the segments of changes begin. Only if there are several segments. */
  moveSegments: (address: string) => ['moves', address],
  /** The validator's tokens and shares after blocks of a day (see ratesFormat); the day is '' before the index. */
  rates: (operator: string, day: string) => ['rates', operator, day],
  /** A validator at the end of a day or at an edge, with the reward ratios of all denoms (see valuationFormat). */
  valuation: (operator: string, height: number) => ['valuation', operator, height],
  /** The reward ratios at the start of a delegation that lasts until a day's end or an edge (see payableRatios). */
  start: (operator: string, height: number, period: number) => ['start', operator, height, period],
  /** Slashes with the reward ratios of all denoms (see slashesFormat). */
  slashes: (operator: string) => ['slashes', operator],
  /** The wallet's rows of reward_months (see rewardMonthsFormat). */
  rewardMonths: (address: string) => ['reward-months', address],
  /** Heights and times of a day's blocks (see blockTimesFormat). */
  blockTimes: (day: string) => ['block-times', day],
  /** Indexed days with their last blocks (see daysFormat). The key is missing if the dataset has no holdings. */
  days: () => ['days'],
};

export interface Extent {
  readonly rows: number;
  readonly segments: number;
}

const units = (value: string | null) => (value === null ? null : BigInt(value));

/** A row in the format of pipeline/tables/event_lines.sql. */
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

/** A restatement of one wallet. Members that all restatements of a generation share are in the manifest instead. */
export type WalletRestatement = Omit<Restatement, 'address' | 'generation_before' | 'restated_at'>;

const RESTATED = [
  'generation_after',
  'month',
  'what',
  'record',
  'figure',
  'figure_before',
  'figure_after',
  'cause',
] as const;

export const restatementsFormat = {
  serialize: (rows: readonly WalletRestatement[]): string =>
    JSON.stringify(rows.map((row) => RESTATED.map((member) => row[member]))),
  parse: (text: string): WalletRestatement[] =>
    (JSON.parse(text) as (string | null)[][]).map(
      (values) => Object.fromEntries(values.map((value, i) => [RESTATED[i]!, value])) as unknown as WalletRestatement,
    ),
};

export const eventsOf = (address: string, rows: readonly string[]) =>
  eventsFormat.parse(address, eventsFormat.serialize(rows));

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

/** Parses a JSON object of base units by denom, which pipeline/tables/event_lines.sql writes. */
export function parseOpening(text: string | undefined): ReadonlyMap<string, bigint> {
  const amounts: Record<string, string> = text === undefined ? {} : JSON.parse(text);
  return new Map(Object.entries(amounts).map(([denom, amount]) => [denom, BigInt(amount)]));
}

/** A row in the format of pipeline/tables/flagged_lines.sql. */
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
