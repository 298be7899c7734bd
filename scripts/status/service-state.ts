/** Reads the state of the service from the data folder and the server, without taking a lock. */

import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { lockHolder } from '../../pipeline/base/disk/lock.js';
import {
  type LastNight,
  type LastVerify,
  lastNight,
  lastVerify,
  nextNight,
  type PriceSourceRecord,
  priceSources,
  type RateSourceRecord,
  rateSources,
} from '../../pipeline/base/disk/run-records.js';
import { otherVersions } from '../../pipeline/books/reports/versions.js';
import { type Config, readsNode } from '../../pipeline/config.js';
import { openQueueState, type QueueState } from '../../pipeline/night/queue/night-queue.js';
import { currentFile, currentGeneration, generationDir, readManifest } from '../../pipeline/publish/generation.js';
import { DatasetStore } from '../../pipeline/publish/store/dataset-store.js';
import type { Reference } from '../../pipeline/reference.js';
import type {
  HoldingsStop,
  Manifest,
  ManifestRestatement,
  OwnWallet,
  PendingUpgrade,
  Readiness,
} from '../../schemas/types.generated.js';
import { openDataset } from '../../server/tax/dataset/dataset.js';
import { ageOf, daysWithoutPrice, unclassifiedRows, unreviewedMoves } from '../../server/tax/dataset/health.js';
import { readReleases, reviewReleases } from '../../server/tax/dataset/releases.js';

const TIMEOUT_MS = 3000;
/** Maps an address that means "all interfaces" to an address to which a client can connect. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export interface ServerState {
  readonly url: string;
  /** HTTP status of /readyz; null if the server does not respond. */
  readonly status: number | null;
  readonly generation: string | null;
  /** Why the server serves no dataset, or why it cannot fetch the upstream's generation. */
  readonly error: string | null;
}

/**
 * Requests the state from the server. @returns null if the configuration lets the system choose the port, because the
 * port is then unknown
 */
async function askServer({ host, port }: Pick<Config, 'host' | 'port'>): Promise<ServerState | null> {
  if (port === 0) return null;
  const name = LOOPBACK[host] ?? host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const answer = (await response.json()) as Partial<Readiness> & { readonly detail?: string };
    const error = answer.follows?.error ?? answer.detail ?? null;
    return { url, status: response.status, generation: answer.generation ?? null, error };
  } catch {
    return { url, status: null, generation: null, error: null };
  }
}

type StoreState = { readonly url: string } & (
  | { readonly generation: string | null; readonly at: string | null }
  | { readonly error: string }
);

/** Reads the current generation of the object store. @returns null if no object store is configured */
async function askStore({ storeUrl: url, s3Endpoint }: Config): Promise<StoreState | null> {
  if (url === undefined) return null;
  try {
    const store = await DatasetStore.open(url, s3Endpoint, { forMs: 0, say() {} });
    const { current } = await store.readCurrent();
    return { url, generation: current?.generation ?? null, at: current?.at ?? null };
  } catch (error) {
    return { url, error: (error as Error).message };
  }
}

type QueueStateOrError = QueueState | { readonly error: string };

/** @returns null if no queue is configured */
async function askQueue(config: Config): Promise<QueueStateOrError | null> {
  try {
    const queue = await openQueueState(config);
    return queue ? await queue.state().finally(() => queue.close()) : null;
  } catch (error) {
    return { error: (error as Error).message };
  }
}

export interface DatasetState {
  readonly generation: string;
  readonly in_force_since: string;
  readonly height: number;
  readonly time: string;
  readonly age_seconds: number;
  readonly index_start: string;
  /** Height of the starting state; null if there is none. */
  readonly holdings_from: number | null;
  /** Last height with proved holdings; null without a starting state. */
  readonly holdings_until: number | null;
  readonly holdings_stop: HoldingsStop | null;
  /** Result of the proofs of each wallet; null for a dataset of the whole chain. */
  readonly wallets: readonly Pick<OwnWallet, 'address' | 'state' | 'missing' | 'unconfirmed'>[] | null;
  readonly missing_blocks: number;
  readonly unclassified_rows: number;
  /** Number of coin movements by the chain itself that have no reviewed chain act (data/reference/chain-acts.json). */
  readonly unreviewed_moves: number;
  /** Number of days without a price, by denom; null if the wallet index cannot be read. */
  readonly days_without_price: Readonly<Record<string, number>> | null;
  /** Last day with exchange rates; null if there is none, or if the wallet index cannot be read. */
  readonly last_rate_day: string | null;
  /** Number of days without a price for which no market could be reached. */
  readonly unreached_days: number;
  /** Generations that changed amounts of closed months, in order. */
  readonly restatements: readonly ManifestRestatement[];
  /** Generations whose closed months could not be compared. */
  readonly not_compared: NonNullable<Manifest['not_compared']>;
  /**
   * Versions in the dataset that differ from this program's versions. The server then refuses wallet reports until the
   * next nightly run.
   */
  readonly other_versions: readonly string[];
}

async function datasetState(
  dataDir: string,
  reference: Reference,
  now: Date,
): Promise<DatasetState | { readonly error: string } | null> {
  const generation = currentGeneration(dataDir);
  if (generation === undefined) return null;
  try {
    const manifest = readManifest(generationDir(dataDir, generation));
    return {
      generation,
      in_force_since: statSync(currentFile(dataDir)).mtime.toISOString(),
      height: manifest.height,
      time: manifest.time,
      age_seconds: ageOf(manifest, now),
      index_start: manifest.index_start,
      holdings_from: manifest.holdings_from,
      holdings_until: manifest.holdings_until,
      holdings_stop: manifest.holdings_stop,
      wallets:
        manifest.own_wallets?.map(({ address, state, missing, unconfirmed }) => ({
          address,
          state,
          missing,
          unconfirmed,
        })) ?? null,
      missing_blocks: manifest.coverage.missing.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      unclassified_rows: unclassifiedRows(manifest),
      unreviewed_moves: unreviewedMoves(manifest),
      ...(await readIndex(dataDir, generation, reference)),
      unreached_days: new Set(manifest.unreached_prices?.flatMap(({ days }) => days)).size,
      restatements: manifest.restatements,
      not_compared: manifest.not_compared ?? [],
      other_versions: otherVersions(manifest, reference),
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function readIndex(dataDir: string, generation: string, reference: Reference) {
  try {
    const dataset = openDataset(dataDir, generation, reference);
    try {
      return {
        days_without_price: Object.fromEntries(daysWithoutPrice(dataset)),
        last_rate_day: dataset.exchangeRates().lastDay,
      };
    } finally {
      await dataset.close();
    }
  } catch {
    return { days_without_price: null, last_rate_day: null };
  }
}

export interface ServiceState {
  readonly checked_at: string;
  readonly data_dir: string;
  readonly follows_node: boolean;
  /** The current dataset, or the error that makes it unreadable; null if no dataset is published. */
  readonly dataset: DatasetState | { readonly error: string } | null;
  readonly last_night: LastNight | null;
  readonly running_night: string | null;
  /** Time of the next nightly run, RFC 3339; null if no scheduler uses the data folder. */
  readonly next_night: string | null;
  readonly last_verify: LastVerify | null;
  /** How each price source answered nightly runs; null if no run has asked markets. */
  readonly price_sources: Readonly<Record<string, PriceSourceRecord>> | null;
  /** Sources of exchange rates that the last nightly run read; null if no run has read one. */
  readonly rate_sources: Readonly<Record<string, RateSourceRecord>> | null;
  /** Workers and jobs of the queue at HUBLEDGER_QUEUE_URL; null if no queue is configured. */
  readonly queue: QueueStateOrError | null;
  readonly store: StoreState | null;
  /** Result of the release watcher; null before its first run. */
  readonly releases: ReleasesState | null;
  /** Null if the file system does not report its size. */
  readonly disk: { readonly free_bytes: number; readonly total_bytes: number } | null;
  /** Null if the configuration lets the system choose the port. */
  readonly server: ServerState | null;
}

export interface ReleasesState {
  /** True if the release watcher has not succeeded for a long time. */
  readonly stale: boolean;
  readonly node_version: string | null;
  readonly newest_release: string | null;
  readonly latest_reviewed: string;
  readonly pending_upgrade: PendingUpgrade;
  /** True if the newest release, the node's version and the pending upgrade have been reviewed. */
  readonly all_reviewed: boolean;
}

export async function serviceState(config: Config, reference: Reference): Promise<ServiceState> {
  const { dataDir } = config;
  const now = config.now();
  const [dataset, running, disk, server, queue, store] = await Promise.all([
    datasetState(dataDir, reference, now),
    lockHolder(dataDir, 'night'),
    diskState(dataDir),
    askServer(config),
    askQueue(config),
    askStore(config),
  ]);
  return {
    checked_at: now.toISOString(),
    data_dir: dataDir,
    follows_node: readsNode(config),
    dataset,
    last_night: lastNight.read(dataDir) ?? null,
    running_night: running ?? null,
    next_night: nextNight.read(dataDir)?.toISOString() ?? null,
    last_verify: lastVerify.read(dataDir) ?? null,
    price_sources: priceSources.read(dataDir)?.sources ?? null,
    rate_sources: rateSources.read(dataDir)?.sources ?? null,
    queue,
    store,
    releases: releasesState(dataDir, reference, now),
    disk,
    server,
  };
}

function releasesState(dataDir: string, reference: Reference, now: Date): ReleasesState | null {
  const watch = readReleases(dataDir);
  if (!watch) return null;
  const { node_version, newest_release, pending_upgrade } = watch;
  const { attention, isStale, latestReviewed } = reviewReleases(reference, watch, now);
  return {
    stale: isStale,
    node_version,
    newest_release,
    latest_reviewed: latestReviewed.version,
    pending_upgrade,
    all_reviewed: !attention,
  };
}

async function diskState(dataDir: string): Promise<ServiceState['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
  } catch {
    return null;
  }
}
