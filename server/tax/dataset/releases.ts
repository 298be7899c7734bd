/** Compares the release watcher's findings (node releases, next upgrade) with the reviewed ones. */
import { readFileSync } from 'node:fs';
import { releasesFile } from '../../../pipeline/config.js';
import type { Reference } from '../../../pipeline/reference.js';
import type { Release, ReleaseWatch } from '../../../schemas/types.generated.js';

/** Hours without a complete watcher run after which its state is stale. */
const STALE_AFTER_HOURS = 36;

/** Reads the watcher's last state; undefined before its first run, or if the file is damaged. */
export function readReleases(dataDir: string): ReleaseWatch | undefined {
  try {
    return JSON.parse(readFileSync(releasesFile(dataDir), 'utf8'));
  } catch {
    return undefined;
  }
}

export interface ReleaseReview {
  /** Reviewed and discovered releases, newest first. */
  readonly releases: readonly Release[];
  readonly latestReviewed: Release;
  /** Whether the effects of the pending upgrade are reviewed; null if none is pending. */
  readonly isUpgradeReviewed: boolean | null;
  /** Whether an unreviewed release is the newest upstream, runs on the node, or is scheduled by the chain. */
  readonly attention: boolean;
  /** Whether the watcher's last complete run is too old. */
  readonly isStale: boolean;
}

/** Compares the watcher's findings with the reviewed data. @param watch undefined before its first run */
export function reviewReleases(
  { nodeReleases, upgrades }: Pick<Reference, 'nodeReleases' | 'upgrades'>,
  watch: ReleaseWatch | undefined,
  now: Date,
): ReleaseReview {
  const releases = releasesOf(nodeReleases.releases, watch);
  const latestReviewed = releases.find(({ reviewed }) => reviewed)!;
  const pending = watch?.pending_upgrade;
  const isUpgradeReviewed = pending ? upgrades.some(({ name }) => name === pending.name) : null;
  const attention = releases[0] !== latestReviewed || needsReview(watch, releases) || isUpgradeReviewed === false;
  return { releases, latestReviewed, isUpgradeReviewed, attention, isStale: isStale(watch, now) };
}

function releasesOf(known: Reference['nodeReleases']['releases'], watch: ReleaseWatch | undefined): Release[] {
  const reviewed = known.map((release) => ({ ...release, reviewed: true }));
  const versions = new Set(reviewed.map(({ version }) => version));
  const oldest = reviewed.at(-1)!.date;
  const others = (watch?.upstream ?? [])
    .filter(({ version, date }) => !versions.has(version) && date >= oldest)
    .map((release) => ({ ...release, summary: '', indexer_impact: '', reviewed: false }));
  return [...reviewed, ...others].sort(newestFirst);
}

function newestFirst(a: Release, b: Release): number {
  return b.version.localeCompare(a.version, 'en', { numeric: true });
}

/** Returns whether the node runs, or the chain will run, an unreviewed release. */
function needsReview(watch: ReleaseWatch | undefined, releases: readonly Release[]): boolean {
  const isReviewed = (name: string) => releases.some(({ version, reviewed }) => reviewed && version === name);
  const named = [watch?.node_version, watch?.pending_upgrade?.name];
  return named.some((name) => typeof name === 'string' && !isReviewed(name));
}

function isStale(watch: ReleaseWatch | undefined, now: Date): boolean {
  const succeeded = watch?.succeeded_at;
  return !succeeded || now.getTime() - Date.parse(succeeded) > STALE_AFTER_HOURS * 3_600_000;
}
