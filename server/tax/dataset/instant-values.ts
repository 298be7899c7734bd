/** Reads the values of the wallet index from which holdings after any block follow. */
import { parseOpening, walletKey } from '../../../pipeline/publish/wallet-index/events-format.js';
import {
  type BlockTimes,
  blockTimesFormat,
  movesFormat,
  ratesFormat,
  rewardMonthsFormat,
  type StakeRow,
  type StateCoin,
  slashesFormat,
  stakesFormat,
  statesFormat,
  valuationFormat,
} from '../../../pipeline/publish/wallet-index/holdings-format.js';
import type { DelegationInterval, RewardMonth } from '../../../schemas/types.generated.js';
import type { WalletCache } from './wallet-cache.js';

type Coins = ReadonlyMap<string, bigint>;

const NO_COINS: Coins = new Map();
const NO_TIMES: BlockTimes = { nanos: [], heightOf: () => 0 };

export const instantValues = (cache: WalletCache) => ({
  blockTimes: (day: string) =>
    cache.read(walletKey.blockTimes(day), ([text]) => blockTimesFormat.parse(text), NO_TIMES),
  rates: (operator: string, day: string) =>
    cache.read(walletKey.rates(operator, day), ([text]) => ratesFormat.parse(text), []),
  /** A validator at the end of a day or at an edge; undefined if it had no shares. */
  valuation: (operator: string, height: number) => {
    const [text] = cache.texts(walletKey.valuation(operator, height));
    return text === undefined ? undefined : valuationFormat.parse(text);
  },
  /**
   * Reward ratios at the start of a delegation that lasts until a day's end or an edge. Only these denoms pay whole units.
   * Delegations that began together may have ended in different layers, and each layer has the denoms of its own.
   */
  startRatio: ({ validator, from_height, start_period }: DelegationInterval): string => {
    const [text, ...more] = cache.texts(walletKey.start(validator, from_height, start_period));
    if (text === undefined) throw new Error(`the wallet index has no start of ${validator} at ${from_height}`);
    if (more.length === 0) return text;
    return [...new Set([text, ...more].flatMap((coins) => (coins === '' ? [] : coins.split(','))))].join();
  },
  slashes: (operator: string) =>
    cache.read(walletKey.slashes(operator), ([text]) => slashesFormat.parse(operator, text), []),
  rewardMonths: (address: string): readonly RewardMonth[] =>
    cache.read<readonly RewardMonth[]>(
      walletKey.rewardMonths(address),
      (texts) => texts.flatMap((text) => rewardMonthsFormat.parse(address, text)),
      [],
    ),
  /** Coins that nodes reported of a wallet, ascending by height. Only in datasets of single wallets. */
  states: (address: string): readonly StateCoin[] =>
    cache.read(walletKey.states(address), ([text]) => statesFormat.parse(text), []),
  /** A wallet's stake after each change. Only in datasets of single wallets; empty for incomplete wallets. */
  stakes: (address: string): readonly StakeRow[] =>
    cache.read(walletKey.stakes(address), ([text]) => stakesFormat.parse(text), []),
  /** Liquid coins after a block, in base units by denom. */
  liquidAt: (address: string, height: number) => liquidAt(cache, address, height),
});

function liquidAt(cache: WalletCache, address: string, height: number): Coins {
  const sums = new Map(cache.read(walletKey.coins(address), ([text]) => parseOpening(text), NO_COINS));
  const add = (denom: string, amount: bigint) => sums.set(denom, (sums.get(denom) ?? 0n) + amount);
  for (const textOf of cache.layers) {
    const segments = textOf(walletKey.moveSegments(address));
    const starts: number[] = segments === undefined ? [0] : JSON.parse(segments);
    const n = starts.findLastIndex((first) => first <= height);
    const text = n < 0 ? undefined : textOf(walletKey.moves(address, n));
    if (text === undefined) continue;
    const { before, moves } = movesFormat.parse(text);
    for (const [denom, amount] of before) add(denom, amount);
    for (const [at, denom, amount] of moves) if (at <= height) add(denom, BigInt(amount));
  }
  return sums;
}
