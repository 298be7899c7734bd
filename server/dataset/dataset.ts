/** The dataset: one published generation with its wallet index, as the server reads it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { missizedFile } from '../../pipeline/disk/sealed-folder.js';
import type { ClosedDay, ValidatorHistory, WalletHoldings } from '../../pipeline/holdings/wallet-holdings.js';
import type { OpeningHoldings } from '../../pipeline/ledger/opening/opening-coins.js';
import { VERSION } from '../../pipeline/project.js';
import { generationDir, readManifest, walletIndexDir } from '../../pipeline/publish/generation.js';
import type { Reference } from '../../pipeline/reference.js';
import { type AskedRange, coverageOf, WHOLE_INDEX } from '../../pipeline/reports/coverage.js';
import { otherVersions } from '../../pipeline/reports/versions.js';
import { walletKey } from '../../pipeline/wallet-index/events-format.js';
import { parseFlagged } from '../../pipeline/wallet-index/flagged-format.js';
import {
  parseDays,
  parseIntervals,
  parseLiquid,
  parseUnbonding,
  parseValidator,
} from '../../pipeline/wallet-index/holdings-format.js';
import { openWalletIndex } from '../../pipeline/wallet-index/open-index.js';
import { parseOpening } from '../../pipeline/wallet-index/opening-format.js';
import {
  type AccruedCommission,
  type PayoutDay,
  parseAccrued,
  parsePayouts,
} from '../../pipeline/wallet-index/payouts-format.js';
import type { FlaggedReceipt, PricedEvent } from '../../schemas/types.generated.js';
import { dataTag } from '../http/etag.js';
import { Prices } from './prices.js';
import { readReleases } from './releases.js';
import { extentOf, keptRowsOf, segmentsOf, WalletCache } from './wallet-cache.js';

/** A validator that the chain has or had. */
export interface Validator {
  /** Moniker as its operator wrote it last; empty where that is not known. */
  readonly moniker: string;
  /** Whether anybody delegates to it after the last block. */
  readonly onChain: boolean;
}

/** A dataset whose wallet index is open; it is closed when nobody reads any more. */
export type OpenDataset = Readonly<ReturnType<typeof openDataset>>;

/** The members of a dataset that answers rest on. */
export type Dataset = Omit<OpenDataset, 'isReplaced' | 'close'>;

/** The rows of wallets that pass a test, wallet by wallet in the chain's order; stops after each segment. */
export function* rowsWhere(
  addresses: readonly string[],
  dataset: Pick<Dataset, 'events'>,
  test: (row: PricedEvent) => boolean,
): Generator<undefined, PricedEvent[], undefined> {
  const found: PricedEvent[] = [];
  for (const address of addresses) {
    for (const segment of dataset.events(address)) {
      for (const row of segment) if (test(row)) found.push(row);
      yield;
    }
  }
  return found;
}

/**
 * Opens a generation and its wallet index for reading.
 * @throws Error when the manifest or the wallet index is missing or damaged, or has a form that this program cannot read
 */
export function openDataset(dataDir: string, generation: string, reference: Reference) {
  const manifest = readManifest(generationDir(dataDir, generation));
  const folder = walletIndexDir(dataDir, generation);
  const indexFile = join(folder, 'data.mdb');
  const indexInode = inodeOf(indexFile);
  // LMDB would make an empty environment of a missing folder.
  if (indexInode === undefined) throw new Error(`generation ${generation} has no wallet index`);
  // LMDB reads whatever lies there: a part of an index, as of a copy under way, ends the process by a signal.
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
    /** Id of the generation, which names its content. */
    generation,
    /** Part of ETags for all that answers depend on besides the request: the generation, the program and its reviewed data. */
    tag: tagOf(generation, reference),
    /** Height of the last indexed block. */
    height: manifest.height,
    /** Generation and height as JSON, which the header X-Dataset says of every answer. */
    said: JSON.stringify({ generation, height: manifest.height }),
    /** Time of that block, RFC 3339 in UTC. */
    time: manifest.time,
    /** First and last UTC day of the index, YYYY-MM-DD. */
    indexStart: manifest.index_start,
    indexEnd: manifest.index_end,
    /** Coverage: the blocks and days of the whole index, as answers say it. */
    coverage,
    /** Coverage of an asked range. */
    coverageOf: (range: AskedRange) =>
      range.start === null && range.end === null ? coverage : coverageOf(manifest, range),
    /** Versions it was made under that are not this program's, as words; none unless figures of it are refused. */
    otherVersions: otherVersions(manifest, reference),
    manifest,
    reference,
    /** Rules and monikers that rows of /events are made with. */
    rowContext,
    /** The default answer of /events for this one address, behind its head, as a gzip member; undefined where the night stored none. */
    storedEvents: (address: string) => store.getBinary(walletKey.events(address)),
    /** Number of rows of a wallet. */
    rows: (address: string) => extentOf(cache, address).rows,
    /** Whether all rows of a wallet are of a range of times. */
    liesWithin(address: string, { from, to }: Pick<AskedRange, 'from' | 'to'>) {
      const { first, last } = extentOf(cache, address);
      return first >= from && last <= to;
    },
    /** A wallet's rows in order, segment by segment. */
    events: (address: string) => segmentsOf(cache, address),
    /** The rows that a small wallet has without decisions, in order, each with its JSON; undefined for a larger one. */
    keptRows: (address: string) => keptRowsOf(cache, address, rowContext),
    /** Opening holdings of a wallet, base units by denom; undefined where the dataset has no starting state. */
    opening: (address: string): OpeningHoldings =>
      days.length === 0 ? undefined : cache.read(walletKey.opening(address), parseOpening, NO_COINS),
    /** A wallet's flagged receipts in order. */
    flagged: (address: string): readonly FlaggedReceipt[] =>
      cache.read(walletKey.flagged(address), (text) => parseFlagged(address, text), []),
    /** Published prices of a denom. */
    prices: (denom: string) => cache.read(walletKey.prices(denom), Prices.parse, NO_PRICES),
    /** A wallet's holdings; without any row for one that the chain does not know. Undefined: this dataset has no holdings. */
    holdings(address: string): WalletHoldings | undefined {
      if (days.length === 0) return undefined;
      return {
        liquid: cache.read(walletKey.liquid(address), parseLiquid, []),
        intervals: cache.read(walletKey.intervals(address), (text) => parseIntervals(address, text), []),
        unbonding: cache.read(walletKey.unbonding(address), (text) => parseUnbonding(address, text), []),
      };
    },
    /** A validator's days of the index, and its slashes; without any row for one that nobody delegated to. */
    validator: (operator: string) =>
      cache.read(walletKey.validator(operator), (text) => parseValidator(operator, text), NO_HISTORY),
    /** Every validator that is known, by operator address in ascending order. */
    validators: () => validators,
    /** A validator's payouts of a month (YYYY-MM), days ascending; none for a month without payouts. */
    payouts: (operator: string, month: string): readonly PayoutDay[] =>
      cache.read(walletKey.payouts(operator, month), parsePayouts, []),
    /** Commission that an operator had not withdrawn by the end of each month (YYYY-MM) at which the chain had its validator. */
    accrued: (operator: string) => cache.read(walletKey.accrued(operator), parseAccrued, NOTHING_ACCRUED),
    /** State of the release watcher by now, which is no part of the generation; undefined before its first run. */
    releases: () => readReleases(dataDir),
    /** Days of the index that have blocks, ascending; none when this dataset has no holdings. */
    days: () => days,
    /** Tells whether the wallet index was damaged, and another one has taken its place. */
    isReplaced() {
      const found = inodeOf(indexFile);
      return found !== undefined && found !== indexInode;
    },
    close: () => store.close(),
  };
}

/** Inode of a file as it lies on disk; undefined where there is none. */
const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;

const tagOf = (generation: string, reference: Reference) => dataTag(generation, VERSION, JSON.stringify(reference));

/** The same dataset beside other reviewed data, by which its figures are not made: the registry of jurisdictions. */
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
