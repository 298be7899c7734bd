/** Compares the result of the release watcher (releases of the node software, and upgrades) with data/reference. */
import { readFileSync } from 'node:fs';
import { releasesFile } from '../../../pipeline/config.js';
import type { Reference } from '../../../pipeline/reference.js';
import type { Release, ReleaseWatch } from '../../../schemas/types.generated.js';

const STALE_AFTER_HOURS = 36;

/** Undefined before the watcher's first run, or if its file is damaged. */
export function readReleases(dataDir: string): ReleaseWatch | undefined {
  try {
    return JSON.parse(readFileSync(releasesFile(dataDir), 'utf8'));
  } catch {
    return undefined;
  }
}

export interface ReleaseReview {
  /** Newest release first. Includes releases that nobody has reviewed. */
  readonly releases: readonly Release[];
  readonly latestReviewed: Release;
  /** True if data/reference describes the pending upgrade; null if no upgrade is pending. */
  readonly isUpgradeReviewed: boolean | null;
  /** True if the operator must act, because an unreviewed release is the newest, runs on the node, or is scheduled. */
  readonly attention: boolean;
  readonly isStale: boolean;
}

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
  const upstream = watch?.upstream ?? [];
  const reviewed = known.map((release) => completed(release, upstream));
  const versions = new Set(reviewed.map(({ version }) => version));
  const oldest = reviewed.at(-1)!.date;
  const others = upstream
    .filter(({ version, date }) => !versions.has(version) && date >= oldest)
    .map((release) => ({ ...release, summary: '', indexer_impact: '', reviewed: false }));
  return [...reviewed, ...others].sort(newestFirst);
}

/** Adds the date and the SDK that the watcher found upstream, if the review does not state them. */
function completed(
  release: Reference['nodeReleases']['releases'][number],
  upstream: ReleaseWatch['upstream'],
): Release {
  const found = upstream.find(({ version }) => version === release.version);
  return {
    ...release,
    date: release.date || (found?.date ?? ''),
    cosmos_sdk: release.cosmos_sdk || (found?.cosmos_sdk ?? ''),
    reviewed: true,
  };
}

function newestFirst(a: Release, b: Release): number {
  return b.version.localeCompare(a.version, 'en', { numeric: true });
}

function needsReview(watch: ReleaseWatch | undefined, releases: readonly Release[]): boolean {
  const isReviewed = (name: string) => releases.some(({ version, reviewed }) => reviewed && version === name);
  const named = [watch?.node_version, watch?.pending_upgrade?.name];
  return named.some((name) => typeof name === 'string' && !isReviewed(name));
}

function isStale(watch: ReleaseWatch | undefined, now: Date): boolean {
  const succeeded = watch?.succeeded_at;
  return !succeeded || now.getTime() - Date.parse(succeeded) > STALE_AFTER_HOURS * 3_600_000;
}
