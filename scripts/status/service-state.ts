/** Reads the service's state from the data folder and the server. Read only, takes no lock. */
import { statfs } from 'node:fs/promises';
import { type Config, readsNode } from '../../pipeline/config.js';
import { lockHolder } from '../../pipeline/disk/lock.js';
import {
  type LastNight,
  type LastVerify,
  readLastNight,
  readLastVerify,
  readNextNight,
} from '../../pipeline/disk/run-records.js';
import type { Reference } from '../../pipeline/reference.js';
import type { PendingUpgrade } from '../../schemas/types.generated.js';
import { readReleases, reviewReleases } from '../../server/dataset/releases.js';
import { askServer, type ServerAnswer } from './ask-server.js';
import { type DatasetState, datasetState } from './dataset-state.js';

export interface ServiceState {
  /** RFC 3339. */
  readonly checked_at: string;
  readonly data_dir: string;
  /** True if blocks come from a live node; only then can a dataset be too old. */
  readonly follows_node: boolean;
  /** The current dataset, or the error that prevents reading it; null if nothing is published. */
  readonly dataset: DatasetState | { readonly error: string } | null;
  readonly last_night: LastNight | null;
  /** Description of the process that runs a night now. */
  readonly running_night: string | null;
  /** RFC 3339; null if no schedule runs on the folder. */
  readonly next_night: string | null;
  /** Last comparison with a node, if any. */
  readonly last_verify: LastVerify | null;
  /** The release watcher's findings; null before its first run. */
  readonly releases: ReleasesState | null;
  /** Null if the file system does not report it. */
  readonly disk: { readonly free_bytes: number; readonly total_bytes: number } | null;
  /** Null if the configuration does not set its port. */
  readonly server: ServerAnswer | null;
}

export interface ReleasesState {
  /** True if the watcher has had no success for long. */
  readonly stale: boolean;
  readonly node_version: string | null;
  readonly newest_release: string | null;
  readonly latest_reviewed: string;
  readonly pending_upgrade: PendingUpgrade;
  /** True if the newest, running and coming versions are all reviewed. */
  readonly all_reviewed: boolean;
}

/** Safe while a night and a server run. */
export async function serviceState(config: Config, reference: Reference): Promise<ServiceState> {
  const { dataDir } = config;
  const now = config.now();
  const [dataset, running, disk, server] = await Promise.all([
    datasetState(dataDir, reference, now),
    lockHolder(dataDir, 'night'),
    diskState(dataDir),
    askServer(config),
  ]);
  return {
    checked_at: now.toISOString(),
    data_dir: dataDir,
    follows_node: readsNode(config),
    dataset,
    last_night: readLastNight(dataDir) ?? null,
    running_night: running ?? null,
    next_night: readNextNight(dataDir)?.toISOString() ?? null,
    last_verify: readLastVerify(dataDir) ?? null,
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
    return null; // the data folder does not exist yet
  }
}
