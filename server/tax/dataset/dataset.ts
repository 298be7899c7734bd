import { statSync } from 'node:fs';
import { join } from 'node:path';
import { missizedFile } from '../../../pipeline/base/disk/sealed-folder.js';
import { VERSION } from '../../../pipeline/base/project.js';
import { ExchangeRates } from '../../../pipeline/books/currencies/exchange-rates.js';
import type { OpeningHoldings } from '../../../pipeline/books/ledger/opening-coins.js';
import { coverageOf, type TimeRange, WHOLE_INDEX } from '../../../pipeline/books/reports/coverage.js';
import type { RowContext } from '../../../pipeline/books/reports/event-row.js';
import { otherVersions } from '../../../pipeline/books/reports/versions.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../../../pipeline/holdings/day-holdings.js';
import { parseTime } from '../../../pipeline/holdings/values/time.js';
import { generationDir, readManifest, walletIndexDir } from '../../../pipeline/publish/generation.js';
import {
  flaggedFormat,
  parseOpening,
  restatementsFormat,
  type WalletRestatement,
  walletKey,
} from '../../../pipeline/publish/wallet-index/events-format.js';
import {
  daysFormat,
  intervalsFormat,
  liquidFormat,
  type TrackedDay,
  trackedDaysFormat,
  unbondingFormat,
  validatorFormat,
} from '../../../pipeline/publish/wallet-index/holdings-format.js';
import { layerFolders, openWalletIndex } from '../../../pipeline/publish/wallet-index/open-index.js';
import {
  type AccruedCommission,
  accruedFormat,
  type PayoutDay,
  payoutsFormat,
} from '../../../pipeline/publish/wallet-index/payouts-format.js';
import type { Reference } from '../../../pipeline/reference.js';
import type { FlaggedReceipt, Manifest, PricedEvent } from '../../../schemas/types.generated.js';
import { dataTag } from '../../http/etag.js';
import { instantValues } from './instant-values.js';
import { readReleases } from './releases.js';
import { cachedRowsOf, extentOf, type IndexKey, Prices, type Sized, segmentsOf, WalletCache } from './wallet-cache.js';

interface Validator {
  readonly moniker: string;
  /** True if the validator has delegations at the end of the dataset. */
  readonly onChain: boolean;
}

export type OpenDataset = Readonly<ReturnType<typeof openDataset>>;

export type Dataset = Omit<OpenDataset, 'isReplaced' | 'close'>;

/** Returns the wallets' rows that pass a test, by wallet and in chain order. */
export function rowsWhere(
  addresses: readonly string[],
  dataset: Pick<Dataset, 'events'>,
  test: (row: PricedEvent) => boolean,
): PricedEvent[] {
  const found: PricedEvent[] = [];
  for (const address of addresses) {
    for (const segment of dataset.events(address)) {
      for (const row of segment) if (test(row)) found.push(row);
    }
  }
  return found;
}

/** Opens the wallet index of a generation. @throws Error if the index is missing or not whole */
function openIndex(dataDir: string, generation: string) {
  const folders = layerFolders(walletIndexDir(dataDir, generation));
  const indexFiles = folders.map((folder) => join(folder, 'data.mdb'));
  const inodes = indexFiles.map(inodeOf);
  // Without this check, LMDB would create an empty index in the missing folder.
  if (inodes.includes(undefined)) throw new Error(`generation ${generation} has no wallet index`);
  for (const folder of folders) {
    // LMDB does not check its files. A truncated file, for example from an unfinished copy, would crash the process.
    const missized = missizedFile(folder);
    if (missized !== undefined)
      throw new Error(`the wallet index of ${generation} is not whole: see ${missized} in ${folder}`);
  }
  const stores = folders.map(openWalletIndex);
  return {
    cache: new WalletCache(stores.map((store) => (key) => store.getBinary(key)?.toString())),
    /** Returns true if a repaired wallet index has replaced the file that is open. */
    isReplaced() {
      const found = indexFiles.map(inodeOf);
      return !found.includes(undefined) && found.some((inode, i) => inode !== inodes[i]);
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

export function openDataset(dataDir: string, generation: string, reference: Reference) {
  const manifest = readManifest(generationDir(dataDir, generation));
  const { cache, isReplaced, close } = openIndex(dataDir, generation);
  const validators = parseValidators(cache.texts(walletKey.validators())[0] ?? '[]');
  const days: readonly ClosedDay[] = cache.texts(walletKey.days()).flatMap(daysFormat.parse);
  const edges = (manifest.edges ?? []).map(({ at, height }) => ({ at: parseTime(at), height }));
  let rates: ExchangeRates | undefined; // kept, because the cache accepts no value of that size
  const versions = otherVersions(manifest, reference);
  const isReplayed = versions.length === 0;
  const coverage = coverageOf(manifest, WHOLE_INDEX, undefined, isReplayed);
  const unreached = new Map(manifest.unreached_prices?.map(({ denom, days }) => [denom, new Set(days)]));
  const rowContext: RowContext = {
    rules: reference.rules,
    monikerOf: (operator: string) => validators.get(operator)?.moniker ?? '',
    isUnreached: (denom: string, day: string) => unreached.get(denom)?.has(day) ?? false,
  };
  return {
    generation,
    /** Part of every ETag. It depends on generation, program version and reviewed data. */
    tag: tagOf(generation, reference),
    height: manifest.height,
    said: JSON.stringify({ generation, height: manifest.height }),
    time: manifest.time,
    indexStart: manifest.index_start,
    indexEnd: manifest.index_end,
    coverage,
    /**
     * @param addresses requested wallets; in datasets of single wallets or with oversized tokens, the coverage depends on
     * them
     */
    coverageOf: (range: TimeRange, addresses?: readonly string[]) =>
      range.start === null && range.end === null && !manifest.own_wallets && manifest.oversized.length === 0
        ? coverage
        : coverageOf(manifest, range, addresses, isReplayed),
    /**
     * Names of versions that differ from the program's versions. If there are any, the server refuses to return
     * amounts.
     */
    otherVersions: versions,
    manifest,
    reference,
    rowContext,
    cachedRows: (address: string) => cachedRowsOf(cache, address, rowContext),
    /** Returns a cached value that was made from this dataset, or makes it. Callers must not modify it. */
    once: <Value extends object>(name: string, make: () => Sized<Value>): Value => cache.once(name, make),
    ...walletValues(cache, manifest, days.length > 0),
    ...priceValues(cache),
    ...instantValues(cache),
    ...validatorValues(cache),
    validators: () => validators,
    exchangeRates: (): ExchangeRates => {
      rates ??= parseRates(cache.texts(walletKey.exchangeRates())[0] ?? '[]');
      return rates;
    },
    /** Last result of the release watcher, which is not part of the generation; undefined before its first run. */
    releases: () => readReleases(dataDir),
    /** Indexed days in ascending order; empty if the dataset contains no holdings. */
    days: () => days,
    /** Edges in ascending order. Times in nanoseconds since 1970. */
    edges: () => edges,
    isReplaced,
    close,
  };
}

function walletValues(cache: WalletCache, manifest: Manifest, hasHoldings: boolean) {
  const { own_wallets: trackedWallets = [] } = manifest;
  return {
    rows: (address: string) => extentOf(cache, address).rows,
    events: (address: string) => segmentsOf(cache, address),
    /** Coins that the wallet held before the first block, in base units by denom; undefined if unknown. */
    opening: (address: string): OpeningHoldings =>
      hasHoldings ? cache.read(walletKey.opening(address), ([text]) => parseOpening(text), NO_COINS) : undefined,
    flagged: (address: string): readonly FlaggedReceipt[] =>
      cache.read(walletKey.flagged(address), ([text]) => flaggedFormat.parse(address, text), []),
    /** Changed amounts of closed months, in order. */
    restatements: (address: string): readonly WalletRestatement[] =>
      cache.read(walletKey.restatements(address), ([text]) => restatementsFormat.parse(text), []),
    /** Holdings of a wallet. Empty for an unknown wallet; undefined if the dataset contains no holdings. */
    holdings(address: string): WalletHoldings | undefined {
      if (!hasHoldings) return undefined;
      const all = <Row>(key: IndexKey, parse: (text: string) => readonly Row[]) =>
        cache.read<readonly Row[]>(key, (texts) => texts.flatMap(parse), []);
      return {
        liquid: all(walletKey.liquid(address), liquidFormat.parse),
        intervals: all(walletKey.intervals(address), (text) => intervalsFormat.parse(address, text)),
        unbonding: all(walletKey.unbonding(address), (text) => unbondingFormat.parse(address, text)),
      };
    },
    /** Results of the proofs of a wallet; undefined in datasets of the whole chain. */
    trackedWallet: (address: string) => trackedWallets.find((wallet) => wallet.address === address),
    /** Returns the wallets whose rows are not proved to be complete. */
    incompleteWallets: (addresses: readonly string[]): string[] =>
      trackedWallets.flatMap(({ address, state }) =>
        state === 'incomplete' && addresses.includes(address) ? [address] : [],
      ),
    /** Days on which the wallet's holdings changed. Only in datasets of single wallets. */
    trackedDays: (address: string): readonly TrackedDay[] =>
      cache.read(walletKey.trackedDays(address), ([text]) => trackedDaysFormat.parse(text), []),
  };
}

const priceValues = (cache: WalletCache) => ({
  /** Quotes of a denom by day, in the format of the table prices. */
  quotes: (denom: string): ReadonlyMap<string, string> =>
    cache.read(walletKey.quotes(denom), ([text]) => new Map<string, string>(JSON.parse(text)), NO_QUOTES),
  prices: (denom: string) => cache.read(walletKey.prices(denom), ([text]) => Prices.parse(text), NO_PRICES),
});

const validatorValues = (cache: WalletCache) => ({
  validator: (operator: string) =>
    cache.read(
      walletKey.validator(operator),
      (texts) => joinHistories(texts.map((text) => validatorFormat.parse(operator, text))),
      NO_HISTORY,
    ),
  /** @param month YYYY-MM */
  payouts: (operator: string, month: string): readonly PayoutDay[] =>
    cache.read(walletKey.payouts(operator, month), ([text]) => payoutsFormat.parse(text), []),
  /** Commission that had not been withdrawn at the end of each month (YYYY-MM). */
  accrued: (operator: string) =>
    cache.read(
      walletKey.accrued(operator),
      (texts) => new Map(texts.flatMap((text) => [...accruedFormat.parse(text)])),
      NOTHING_ACCRUED,
    ),
});

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

const tagOf = (generation: string, reference: Reference) => dataTag(generation, VERSION, JSON.stringify(reference));

/**
 * Replaces the dataset's reviewed data. Only data that affects no amount may have changed, such as validators'
 * countries.
 */
export const withReference = (dataset: OpenDataset, reference: Reference): OpenDataset => ({
  ...dataset,
  reference,
  tag: tagOf(dataset.generation, reference),
});

const joinHistories = (histories: readonly ValidatorHistory[]): ValidatorHistory => ({
  days: histories.flatMap(({ days }) => days),
  slashes: histories.flatMap(({ slashes }) => slashes),
});

const NO_HISTORY: ValidatorHistory = validatorFormat.parse('', '[[],[]]');
const NO_COINS: ReadonlyMap<string, bigint> = new Map();
const NOTHING_ACCRUED: ReadonlyMap<string, AccruedCommission> = new Map();
const NO_PRICES = new Prices();
const NO_QUOTES = new Map<string, string>();

function parseRates(text: string): ExchangeRates {
  const rows: [string, string, string][] = JSON.parse(text);
  return new ExchangeRates(rows.map(([day, currency, perEur]) => [day, currency, BigInt(perEur)]));
}

function parseValidators(text: string): ReadonlyMap<string, Validator> {
  const list: [string, string, boolean][] = JSON.parse(text);
  return new Map(list.map(([operator, moniker, onChain]) => [operator, { moniker, onChain }]));
}
