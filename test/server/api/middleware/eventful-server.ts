/** A server on which everything that metrics tell of has happened. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  lastNight,
  lastVerify,
  nextNight,
  priceSources,
  rateSources,
} from '../../../../pipeline/base/disk/run-records.js';
import { releasesFile } from '../../../../pipeline/config.js';
import type { QueueState } from '../../../../pipeline/night/queue/night-queue.js';
import type { OwnWallet } from '../../../../schemas/types.generated.js';
import { startServer, type TestServer } from '../../harness.js';
import { publish, WALLETS } from '../../published.js';
import { type MetricsText, readMetrics } from './read-metrics.js';

/** The path of which a kept response is asked for. */
export const HELD = '/api/tax/v1/events';

const RELEASE = { version: 'v1.0.0', date: '2020-01-01', cosmos_sdk: 'v0.50.0' };
/** The proof of a wallet whose transactions are not all there. */
const INCOMPLETE: OwnWallet = {
  ...{ address: WALLETS.light, state: 'incomplete', heights: 3, opening: 'node', balances: [], sequences: null },
  ...{ stakes: { holds: true, differences: [] }, reward: null },
  ...{ missing: ['1 ATOM of receipts are missing'], unconfirmed: [] },
};
/** A state of the release watcher in which the node runs a release that nobody has reviewed. */
const WATCH = {
  ...{ checked_at: '2026-06-01T00:00:00Z', succeeded_at: '2026-06-01T00:00:00Z', error: null, height: null },
  ...{ node_version: 'v999.0.0', cosmos_sdk: null, newest_release: RELEASE.version, upstream: [RELEASE] },
  pending_upgrade: null,
};

export interface EventfulServer {
  readonly server: TestServer;
  readonly generation: string;
  /** Metrics before anything happened, and after. */
  readonly before: MetricsText;
  readonly after: MetricsText;
}

/**
 * Starts a server without a dataset, then publishes one with unclassified rows and an incomplete wallet, after a night that failed; four good requests, a bad one,
 * one of an unknown path, questions to a node that is down, and an upstream that is away.
 */
export async function startEventfulServer(): Promise<EventfulServer> {
  const networks = JSON.stringify({ mainnet: ['http://127.0.0.1:9'] });
  let queue: QueueState | null = null;
  const jobQueue = { state: async () => queue, close: async () => {} };
  const environment = { HUBLEDGER_NETWORKS: networks, HUBLEDGER_FOLLOW_URL: 'http://127.0.0.1:9' };
  const server = await startServer({ published: false, environment, jobQueue });
  const { dataDir, base } = server;
  const before = await readMetrics(base);
  const generation = await publish(dataDir, 1000, undefined, {
    unclassified: { fee: 2, EndBlock: 1 },
    own_wallets: [INCOMPLETE],
  });
  await server.datasets.refresh();
  lastNight.write(dataDir, {
    ...{ outcome: 'failed', began: '2026-06-01T00:00:00.000Z', ended: '2026-06-01T00:10:00.000Z' },
    ...{ generation: null, durations: { audit: 1500 }, error: 'an audit found a row' },
  });
  lastVerify.write(dataDir, { outcome: 'differs', ended: '2026-05-31T03:30:00.000Z', generation, error: 'rewards' });
  priceSources.write(dataDir, {
    ended: '2026-06-01T00:10:00.000Z',
    sources: { binance: { silent_nights: ['2026-05-31'], last_quote: '2026-05-30', failure: null, unlisted: [] } },
  });
  rateSources.write(dataDir, {
    ended: '2026-06-01T00:10:00.000Z',
    sources: { 'bank.csv': { failed_nights: ['2026-05-31', '2026-06-01'], failure: 'line 3: there is no day' } },
  });
  queue = { workers: 1, waiting: 2, active: 1 };
  nextNight.write(dataDir, new Date('2026-06-02T00:20:00Z'));
  writeFileSync(releasesFile(dataDir), JSON.stringify(WATCH));
  for (let n = 0; n < 4; n++) assert.equal((await server.ask(`${HELD}?address=${WALLETS.light}`)).status, 200);
  assert.equal((await server.ask(HELD)).status, 400);
  assert.equal((await fetch(`${base}/nothing/${'x'.repeat(60)}`)).status, 404);
  for (let n = 0; n < 6; n++) assert.ok((await fetch(`${base}/api/v1/codes?network=mainnet`)).status >= 500);
  while (server.datasets.follower!.state.failures === 0) await wait(20);
  await wait(100); // the event loop's delay is that of turns since the last look
  return { server, generation, before, after: await readMetrics(base) };
}
