/** The state of the service on one data folder, as files and a server's address tell it. It is read only, and takes no lock. */
import { statfs } from 'node:fs/promises';
import { type Config, readsNode } from '../../pipeline/config.js';
import { type LastNight, readLastNight } from '../../pipeline/disk/last-night.js';
import { type LastVerify, readLastVerify } from '../../pipeline/disk/last-verify.js';
import { lockHolder } from '../../pipeline/disk/lock.js';
import { readNextNight } from '../../pipeline/disk/next-night.js';
import type { Reference } from '../../pipeline/reference.js';
import type { PendingUpgrade } from '../../schemas/types.generated.js';
import { readReleases, reviewReleases } from '../../server/dataset/releases.js';
import { askServer, type ServerAnswer } from './ask-server.js';
import { type DatasetState, datasetState } from './dataset-state.js';

export interface ServiceState {
  /** RFC 3339. */
  readonly checked_at: string;
  readonly data_dir: string;
  /** Whether blocks come from a node: a recording does not go on, so that a dataset of it is not old. */
  readonly follows_node: boolean;
  /** The dataset in force, or why it cannot be read; null where nothing is published. */
  readonly dataset: DatasetState | { readonly error: string } | null;
  readonly last_night: LastNight | null;
  /** Process that runs a night now, in words. */
  readonly running_night: string | null;
  /** RFC 3339; null where no schedule runs on the folder. */
  readonly next_night: string | null;
  /** Outcome of the last comparison with a node; null where there was none. */
  readonly last_verify: LastVerify | null;
  /** Findings of the release watcher; null before its first run. */
  readonly releases: ReleasesState | null;
  /** Null where the file system does not tell. */
  readonly disk: { readonly free_bytes: number; readonly total_bytes: number } | null;
  /** The server at the configured address; null where the configuration does not tell its port. */
  readonly server: ServerAnswer | null;
}

export interface ReleasesState {
  /** Whether the watcher has learned nothing for long. */
  readonly stale: boolean;
  readonly node_version: string | null;
  readonly newest_release: string | null;
  readonly latest_reviewed: string;
  readonly pending_upgrade: PendingUpgrade;
  /** Whether the reviewed data knows all that is newest, running or coming. */
  readonly all_reviewed: boolean;
}

/** Reads the state. A night and a server may run meanwhile. */
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
    return null; // a data folder that is not there yet
  }
}
