/** One published generation with its wallet index, as the server reads it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { missizedFile } from '../../../pipeline/base/disk/sealed-folder.js';
import { VERSION } from '../../../pipeline/base/project.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../../../pipeline/holdings/day-holdings.js';
import type { OpeningHoldings } from '../../../pipeline/ledger/opening-coins.js';
import { generationDir, readManifest, walletIndexDir } from '../../../pipeline/publish/generation.js';
import { parseFlagged, parseOpening, walletKey } from '../../../pipeline/publish/wallet-index/events-format.js';
import {
  parseDays,
  parseIntervals,
  parseLiquid,
  parseUnbonding,
  parseValidator,
} from '../../../pipeline/publish/wallet-index/holdings-format.js';
import { openWalletIndex } from '../../../pipeline/publish/wallet-index/open-index.js';
import {
  type AccruedCommission,
  type PayoutDay,
  parseAccrued,
  parsePayouts,
} from '../../../pipeline/publish/wallet-index/payouts-format.js';
import type { Reference } from '../../../pipeline/reference.js';
import { type AskedRange, coverageOf, WHOLE_INDEX } from '../../../pipeline/reports/coverage.js';
import { otherVersions } from '../../../pipeline/reports/versions.js';
import type { FlaggedReceipt, PricedEvent } from '../../../schemas/types.generated.js';
import { dataTag } from '../../http/etag.js';
import { Prices } from './prices.js';
import { readReleases } from './releases.js';
import { cachedRowsOf, extentOf, segmentsOf, WalletCache } from './wallet-cache.js';

export interface Validator {
  /** Latest moniker; empty if unknown. */
  readonly moniker: string;
  /** Whether it has delegations after the last block. */
  readonly onChain: boolean;
}

export type OpenDataset = Readonly<ReturnType<typeof openDataset>>;

/** The part of a dataset that endpoints use. */
export type Dataset = Omit<OpenDataset, 'isReplaced' | 'close'>;

/** Returns the wallets' rows that pass a test, in chain order per wallet. */
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

/** Opens a generation and its wallet index. @throws Error if the manifest or index is missing, damaged or of an unknown format */
export function openDataset(dataDir: string, generation: string, reference: Reference) {
  const manifest = readManifest(generationDir(dataDir, generation));
  const folder = walletIndexDir(dataDir, generation);
  const indexFile = join(folder, 'data.mdb');
  const indexInode = inodeOf(indexFile);
  // LMDB would create an empty environment in a missing folder.
  if (indexInode === undefined) throw new Error(`generation ${generation} has no wallet index`);
  // LMDB reads without checks: a truncated index, such as a copy in progress, crashes the process.
  const missized = missizedFile(folder);
  if (missized !== undefined)
    throw new Error(`the wallet index of ${generation} is not whole: see ${missized} in ${folder}`);
  const store = openWalletIndex(folder);
  const cache = new WalletCache((key) => store.getBinary(key)?.toString());
  const validators = parseValidators(cache.text(walletKey.validators()) ?? '[]');
  const days: readonly ClosedDay[] = parseDays(cache.text(walletKey.days()) ?? '[]');
  const coverage = coverageOf(manifest, WHOLE_INDEX);
  const rowContext = {
    rules: reference.rules,
    monikerOf: (operator: string) => validators.get(operator)?.moniker ?? '',
  };
  return {
    generation,
    /** Part of every ETag: generation, program version and reviewed data. */
    tag: tagOf(generation, reference),
    height: manifest.height,
    /** Value of the header X-Dataset, JSON. */
    said: JSON.stringify({ generation, height: manifest.height }),
    time: manifest.time,
    /** First and last UTC day, YYYY-MM-DD. */
    indexStart: manifest.index_start,
    indexEnd: manifest.index_end,
    /** Blocks and days of the whole index, for responses. */
    coverage,
    coverageOf: (range: AskedRange) =>
      range.start === null && range.end === null ? coverage : coverageOf(manifest, range),
    /** Descriptions of versions that differ from the program's; empty unless the figures are refused. */
    otherVersions: otherVersions(manifest, reference),
    manifest,
    reference,
    /** Rules and monikers for rows of /events. */
    rowContext,
    rows: (address: string) => extentOf(cache, address).rows,
    /** A wallet's rows in order, by segment. */
    events: (address: string) => segmentsOf(cache, address),
    /** Rows of a small wallet without decisions, with their JSON; undefined for larger wallets. */
    cachedRows: (address: string) => cachedRowsOf(cache, address, rowContext),
    /** Opening holdings in base units by denom; undefined without a starting state. */
    opening: (address: string): OpeningHoldings =>
      days.length === 0 ? undefined : cache.read(walletKey.opening(address), parseOpening, NO_COINS),
    flagged: (address: string): readonly FlaggedReceipt[] =>
      cache.read(walletKey.flagged(address), (text) => parseFlagged(address, text), []),
    prices: (denom: string) => cache.read(walletKey.prices(denom), Prices.parse, NO_PRICES),
    /** A wallet's holdings; empty for an unknown wallet; undefined if the dataset has no holdings. */
    holdings(address: string): WalletHoldings | undefined {
      if (days.length === 0) return undefined;
      return {
        liquid: cache.read(walletKey.liquid(address), parseLiquid, []),
        intervals: cache.read(walletKey.intervals(address), (text) => parseIntervals(address, text), []),
        unbonding: cache.read(walletKey.unbonding(address), (text) => parseUnbonding(address, text), []),
      };
    },
    /** A validator's days and slashes; empty if it never had delegations. */
    validator: (operator: string) =>
      cache.read(walletKey.validator(operator), (text) => parseValidator(operator, text), NO_HISTORY),
    validators: () => validators,
    /** A validator's daily payouts in a month (YYYY-MM). */
    payouts: (operator: string, month: string): readonly PayoutDay[] =>
      cache.read(walletKey.payouts(operator, month), parsePayouts, []),
    /** Commission not withdrawn at the end of each month (YYYY-MM), for months with the validator on chain. */
    accrued: (operator: string) => cache.read(walletKey.accrued(operator), parseAccrued, NOTHING_ACCRUED),
    /** Current state of the release watcher, which is not part of the generation; undefined before its first run. */
    releases: () => readReleases(dataDir),
    /** Days with blocks, ascending; empty if the dataset has no holdings. */
    days: () => days,
    /** Returns whether the wallet index was replaced on disk after damage. */
    isReplaced() {
      const found = inodeOf(indexFile);
      return found !== undefined && found !== indexInode;
    },
    close: () => store.close(),
  };
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

const tagOf = (generation: string, reference: Reference) => dataTag(generation, VERSION, JSON.stringify(reference));

/** Replaces reviewed data that no figures depend on, such as the registry of jurisdictions. */
export const withReference = (dataset: OpenDataset, reference: Reference): OpenDataset => ({
  ...dataset,
  reference,
  tag: tagOf(dataset.generation, reference),
});

const NO_HISTORY: ValidatorHistory = parseValidator('', '[[],[]]');
const NO_COINS: ReadonlyMap<string, bigint> = new Map();
const NOTHING_ACCRUED: ReadonlyMap<string, AccruedCommission> = new Map();
const NO_PRICES = new Prices();

function parseValidators(text: string): ReadonlyMap<string, Validator> {
  const list: [string, string, boolean][] = JSON.parse(text);
  return new Map(list.map(([operator, moniker, onChain]) => [operator, { moniker, onChain }]));
}
