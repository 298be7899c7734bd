import type { Release, ReleaseWatch } from '../../schemas/types.generated.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Answer, Endpoint } from '../endpoint.js';

/** Hours without a complete run of the watcher after which its state is stale. */
const STALE_AFTER_HOURS = 36;

export const chainReleases = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/chain/releases',
  summary: 'Releases of the node software, what they mean for the index, and what is coming.',
  description:
    'Reviewed releases with notes, newer ones that were found upstream, the version of the node and the upgrade ' +
    'that the chain has decided on.',
  parameters: ['chain'],
  response: 'chain-releases',
  policy: 'tax',
  problems: [],
  volatile: true,
  handle({ dataset, now }): Answer {
    const watch = dataset.releases();
    const releases = releasesOf(dataset, watch);
    const latest = releases.find(({ reviewed }) => reviewed)!;
    const upgradeReviewed = isUpgradeReviewed(dataset, watch);
    return {
      json: {
        attention: releases[0] !== latest || needsReview(watch, releases) || upgradeReviewed === false,
        stale: isStale(watch, now),
        latest_reviewed: latest,
        releases,
        upcoming_changes: dataset.reference.nodeReleases.upcoming_changes,
        watcher: watch ? runOf(watch) : null,
        upgrade_reviewed: upgradeReviewed,
      },
    };
  },
} satisfies Endpoint;

/** Releases that were reviewed and those that were found beside them, newest first. */
function releasesOf({ reference }: Dataset, watch: ReleaseWatch | undefined): Release[] {
  const reviewed = reference.nodeReleases.releases.map((release) => ({ ...release, reviewed: true }));
  const known = new Set(reviewed.map(({ version }) => version));
  const oldest = reviewed.at(-1)!.date;
  const others = (watch?.upstream ?? [])
    .filter(({ version, date }) => !known.has(version) && date >= oldest)
    .map((release) => ({ ...release, summary: '', indexer_impact: '', reviewed: false }));
  return [...reviewed, ...others].sort(newestFirst);
}

/** Orders releases by the numbers of their versions. */
function newestFirst(a: Release, b: Release): number {
  return b.version.localeCompare(a.version, 'en', { numeric: true });
}

/** Tells whether the node runs, or the chain will run, a release that nobody has reviewed. */
function needsReview(watch: ReleaseWatch | undefined, releases: readonly Release[]): boolean {
  const isReviewed = (name: string) => releases.some(({ version, reviewed }) => reviewed && version === name);
  const named = [watch?.node_version, watch?.pending_upgrade?.name];
  return named.some((name) => typeof name === 'string' && !isReviewed(name));
}

/** Tells whether it is known what the pending upgrade changes without an event; null when none is pending. */
function isUpgradeReviewed({ reference }: Dataset, watch: ReleaseWatch | undefined): boolean | null {
  const pending = watch?.pending_upgrade;
  return pending ? reference.upgrades.some(({ name }) => name === pending.name) : null;
}

function isStale(watch: ReleaseWatch | undefined, now: Date): boolean {
  const succeeded = watch?.succeeded_at;
  return !succeeded || now.getTime() - Date.parse(succeeded) > STALE_AFTER_HOURS * 3_600_000;
}

function runOf({ checked_at, node_version, cosmos_sdk, newest_release, pending_upgrade, error }: ReleaseWatch) {
  return { checked_at, node_version, cosmos_sdk, newest_release, pending_upgrade, error };
}
