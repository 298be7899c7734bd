import type { ReleaseWatch } from '../../schemas/types.generated.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import { reviewReleases } from '../tax/dataset/releases.js';

export const chainReleases = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/chain/releases',
  summary: 'Releases of the node software, their effect on the index, and pending upgrades.',
  description:
    'Reviewed releases with notes, newer releases found upstream, the node’s version and the upgrade ' +
    'that the chain has scheduled.',
  parameters: ['chain'],
  response: 'chain-releases',
  policy: 'tax',
  volatile: true,
  handle({ dataset, now }): Answer {
    const { reference } = dataset;
    const watch = dataset.releases();
    const { attention, isStale, latestReviewed, releases, isUpgradeReviewed } = reviewReleases(reference, watch, now);
    return {
      json: {
        attention,
        stale: isStale,
        latest_reviewed: latestReviewed,
        releases,
        upcoming_changes: reference.nodeReleases.upcoming_changes,
        watcher: watch ? runOf(watch) : null,
        upgrade_reviewed: isUpgradeReviewed,
      },
    };
  },
} satisfies Endpoint;

function runOf({ checked_at, node_version, cosmos_sdk, newest_release, pending_upgrade, error }: ReleaseWatch) {
  return { checked_at, node_version, cosmos_sdk, newest_release, pending_upgrade, error };
}
