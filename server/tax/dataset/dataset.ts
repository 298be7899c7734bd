import { statSync } from 'node:fs';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { missizedFile } from '../../../pipeline/base/disk/sealed-folder.js';
import { VERSION } from '../../../pipeline/base/project.js';
import type { OpeningHoldings } from '../../../pipeline/books/ledger/opening-coins.js';
import { type AskedRange, coverageOf, WHOLE_INDEX } from '../../../pipeline/books/reports/coverage.js';
import { type EventRow, type RowContext, walletRows, withJson } from '../../../pipeline/books/reports/event-row.js';
import { otherVersions } from '../../../pipeline/books/reports/versions.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../../../pipeline/holdings/day-holdings.js';
import { generationDir, readManifest, walletIndexDir } from '../../../pipeline/publish/generation.js';
import {
  type Extent,
  eventsFormat,
  flaggedFormat,
  parseOpening,
  restatementsFormat,
  SEGMENT_ROWS,
  type WalletRestatement,
  walletKey,
} from '../../../pipeline/publish/wallet-index/events-format.js';
import {
  daysFormat,
  intervalsFormat,
  liquidFormat,
  type OwnDay,
  ownDaysFormat,
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
import type { FlaggedReceipt, PricedEvent } from '../../../schemas/types.generated.js';
import { dataTag } from '../../http/etag.js';
import { readReleases } from './releases.js';

/** Prices of a coin by UTC day (YYYY-MM-DD), ascending. Unit: micro-USD per displayed unit, such as ATOM. */
export class Prices extends Map<string, bigint> {
  private readonly days = [...this.keys()];

  static parse(text: string): Prices {
    return new Prices((JSON.parse(text) as [string, string][]).map(([day, usd]) => [day, BigInt(usd)]));
  }

  /** Searches backwards, because most requests concern recent days. */
  lastDayUntil(day: string): string | undefined {
    return this.days.findLast((priced) => priced <= day);
  }
}

const VALUES_MAX_BYTES = 24 * 1024 * 1024;
const VALUE_MAX_BYTES = 2.5 * 1024 * 1024;
/** Estimated memory of a parsed value: bytes per character of its text. */
const PARSED_BYTES = 5;

const CACHED_ROWS_MAX = 100;
const ROW_BYTES = 400;

type IndexKey = (string | number)[];

/** Caches parsed values of the wallet index. Parsing takes ten times as long as reading the index. */
export class WalletCache {
  private readonly values = new LRUCache<string, object>({
    maxSize: VALUES_MAX_BYTES,
    maxEntrySize: VALUE_MAX_BYTES,
  });

  /**
   * @param layers functions that read the text of a key: from the base layer, if there is one, and from the open layer
   */
  constructor(readonly layers: readonly ((key: IndexKey) => string | undefined)[]) {}

  /** Returns the texts of all layers that have the key. */
  texts(key: IndexKey): string[] {
    return this.layers.flatMap((textOf) => textOf(key) ?? []);
  }

  /**
   * Returns a cached value, or parses it. Callers must not modify the value.
   * @param parse receives the texts of one or two layers
   * @param none returned if no layer has the key; also cached, because most wallets lack some keys
   */
  read<Value extends object>(key: IndexKey, parse: (texts: [string, ...string[]]) => Value, none: Value): Value {
    return this.once(key.join(' '), () => {
      const [first, ...more] = this.texts(key);
      if (first === undefined) return { value: none, bytes: 0 };
      const bytes = PARSED_BYTES * more.reduce((sum, { length }) => sum + length, first.length);
      return { value: parse([first, ...more]), bytes };
    });
  }

  /** Returns a cached value, or makes it. @param make returns the value and its estimated size */
  once<Value extends object>(name: string, make: () => { readonly value: Value; readonly bytes: number }): Value {
    const known = this.values.get(name);
    if (known) return known as Value;
    const { value, bytes } = make();
    this.values.set(name, value, { size: name.length * PARSED_BYTES + bytes });
    return value;
  }
}

interface WalletExtent {
  readonly rows: number;
  /** Number of segments (groups of rows) in each layer. */
  readonly segments: readonly number[];
}

const EXTENT_BYTES = 200;

export function extentOf(cache: WalletCache, address: string): WalletExtent {
  const key = walletKey.extent(address);
  const read = () => {
    const texts = cache.layers.map((textOf) => textOf(key));
    const extents = texts.map((text): Extent => (text ? JSON.parse(text) : NO_SEGMENTS));
    const rows = extents.reduce((sum, extent) => sum + extent.rows, 0);
    return { value: { rows, segments: extents.map(({ segments }) => segments) }, bytes: EXTENT_BYTES };
  };
  return cache.once(key.join(' '), read);
}

const NO_SEGMENTS: Extent = { rows: 0, segments: 0 };

/**
 * Yields a wallet's rows in segments, first from the base layer, then from the open layer. Wallets with more than one
 * segment are not cached, because they would evict all other wallets.
 */
export function* segmentsOf(cache: WalletCache, address: string): Generator<readonly PricedEvent[]> {
  const { rows, segments } = extentOf(cache, address);
  for (const [layer, count] of segments.entries()) {
    for (let n = 0; n < count; n++) {
      const key = walletKey.segment(address, n);
      const unpack = () => {
        const text = cache.layers[layer]!(key);
        if (text === undefined) throw new Error(`segment ${n} of ${address} is missing in the wallet index`);
        return { value: eventsFormat.parse(address, text), bytes: text.length * PARSED_BYTES };
      };
      yield rows <= SEGMENT_ROWS ? cache.once(`${layer} ${key.join(' ')}`, unpack) : unpack().value;
    }
  }
}

/** Returns a wallet's rows if they are cached. Large wallets are never cached, so undefined is returned for them. */
export function cachedRowsOf(
  cache: WalletCache,
  address: string,
  context: RowContext,
): readonly EventRow[] | undefined {
  if (extentOf(cache, address).rows > CACHED_ROWS_MAX) return undefined;
  return cache.once<readonly EventRow[]>(`kept ${address}`, () => {
    const rowOf = walletRows(context);
    const rows = [...segmentsOf(cache, address)].flat().map((event) => withJson(rowOf(event)));
    return { value: rows, bytes: rows.reduce((sum, { json }) => sum + json.length + ROW_BYTES, 0) };
  });
}

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

export function openDataset(dataDir: string, generation: string, reference: Reference) {
  const manifest = readManifest(generationDir(dataDir, generation));
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
  const cache = new WalletCache(stores.map((store) => (key) => store.getBinary(key)?.toString()));
  const validators = parseValidators(cache.texts(walletKey.validators())[0] ?? '[]');
  const days: readonly ClosedDay[] = cache.texts(walletKey.days()).flatMap(daysFormat.parse);
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
    /** @param addresses requested wallets; in datasets of single wallets or oversized tokens, the coverage depends on them */
    coverageOf: (range: AskedRange, addresses?: readonly string[]) =>
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
    rows: (address: string) => extentOf(cache, address).rows,
    events: (address: string) => segmentsOf(cache, address),
    cachedRows: (address: string) => cachedRowsOf(cache, address, rowContext),
    /** Coins that the wallet held before the first block, in base units by denom; undefined if unknown. */
    opening: (address: string): OpeningHoldings =>
      days.length === 0 ? undefined : cache.read(walletKey.opening(address), ([text]) => parseOpening(text), NO_COINS),
    flagged: (address: string): readonly FlaggedReceipt[] =>
      cache.read(walletKey.flagged(address), ([text]) => flaggedFormat.parse(address, text), []),
    /** Changed amounts of closed months, in order. */
    restatements: (address: string): readonly WalletRestatement[] =>
      cache.read(walletKey.restatements(address), ([text]) => restatementsFormat.parse(text), []),
    /** Quotes of a denom by day, in the format of the table prices. */
    quotes: (denom: string): ReadonlyMap<string, string> =>
      cache.read(walletKey.quotes(denom), ([text]) => new Map<string, string>(JSON.parse(text)), NO_QUOTES),
    prices: (denom: string) => cache.read(walletKey.prices(denom), ([text]) => Prices.parse(text), NO_PRICES),
    /** Holdings of a wallet. Empty for an unknown wallet; undefined if the dataset contains no holdings. */
    holdings(address: string): WalletHoldings | undefined {
      if (days.length === 0) return undefined;
      return {
        liquid: cache.read(walletKey.liquid(address), (texts) => texts.flatMap(liquidFormat.parse), []),
        intervals: cache.read(
          walletKey.intervals(address),
          (texts) => texts.flatMap((text) => intervalsFormat.parse(address, text)),
          [],
        ),
        unbonding: cache.read(
          walletKey.unbonding(address),
          (texts) => texts.flatMap((text) => unbondingFormat.parse(address, text)),
          [],
        ),
      };
    },
    /** Results of the proofs of a wallet; undefined in datasets of the whole chain. */
    ownWallet: (address: string) => manifest.own_wallets?.find((wallet) => wallet.address === address),
    /** Returns the wallets whose rows are not proved to be complete. */
    incompleteWallets: (addresses: readonly string[]): string[] =>
      (manifest.own_wallets ?? []).flatMap(({ address, state }) =>
        state === 'incomplete' && addresses.includes(address) ? [address] : [],
      ),
    /** Days on which the wallet's holdings changed. Only in datasets of single wallets. */
    ownDays: (address: string): readonly OwnDay[] =>
      cache.read(walletKey.ownDays(address), ([text]) => ownDaysFormat.parse(text), []),
    validator: (operator: string) =>
      cache.read(
        walletKey.validator(operator),
        (texts) => joinHistories(texts.map((text) => validatorFormat.parse(operator, text))),
        NO_HISTORY,
      ),
    validators: () => validators,
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
    /** Last result of the release watcher, which is not part of the generation; undefined before its first run. */
    releases: () => readReleases(dataDir),
    /** Indexed days in ascending order; empty if the dataset contains no holdings. */
    days: () => days,
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

function parseValidators(text: string): ReadonlyMap<string, Validator> {
  const list: [string, string, boolean][] = JSON.parse(text);
  return new Map(list.map(([operator, moniker, onChain]) => [operator, { moniker, onChain }]));
}
