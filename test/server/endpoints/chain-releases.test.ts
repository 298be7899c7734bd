import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import { releasesFile } from '../../../pipeline/config.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { ReleaseTracking, ReleaseWatch } from '../../../schemas/types.generated.js';
import { sharedServer } from '../harness.js';

const PATH = '/api/tax/v1/chain/releases';
const { releases, upcoming_changes } = loadReference().nodeReleases;
const newest = releases[0]!.version;

const server = sharedServer({ environment: { HUBLEDGER_NOW: '2026-11-21T00:00:00Z' } });
beforeEach(() => rmSync(releasesFile(server.dataDir), { force: true }));

const RUN: ReleaseWatch = {
  checked_at: '2026-11-20T20:00:00Z',
  node_version: newest,
  cosmos_sdk: 'v0.53.4',
  newest_release: newest,
  pending_upgrade: null,
  error: null,
  succeeded_at: '2026-11-20T20:00:00Z',
  upstream: [],
};

async function tracking(watch?: Partial<ReleaseWatch>): Promise<ReleaseTracking> {
  if (watch) writeFileSync(releasesFile(server.dataDir), JSON.stringify({ ...RUN, ...watch }));
  return (await server.ask(PATH)).json<ReleaseTracking>();
}

test('before the first run: the reviewed releases, and stale', async () => {
  assert.deepEqual(await tracking(), {
    attention: false,
    stale: true,
    latest_reviewed: { ...releases[0], reviewed: true },
    releases: releases.map((release) => ({ ...release, reviewed: true })),
    upcoming_changes,
    watcher: null,
    upgrade_reviewed: null,
  });
});

test('a file of the watcher that is damaged counts as none', async () => {
  writeFileSync(releasesFile(server.dataDir), '{');
  assert.equal((await tracking()).watcher, null);
});

test('after a run that found nothing new', async () => {
  const { attention, stale, watcher } = await tracking({});
  const { upstream, succeeded_at, ...run } = RUN;
  assert.deepEqual([attention, stale, watcher], [false, false, run]);
  assert.ok(upstream.length === 0 && succeeded_at);
});

test('a reviewed release gets the date and the SDK that the watcher found, if its review states none', async () => {
  const reviewed = releases.find(({ date, cosmos_sdk }) => date === '' && cosmos_sdk !== '')!;
  const upstream = [
    { version: newest, date: '2026-09-30', cosmos_sdk: 'v0.53.9' },
    { version: reviewed.version, date: '2026-10-01', cosmos_sdk: 'v0.99.0' },
  ];
  const { latest_reviewed, releases: listed } = await tracking({ upstream });
  const found = listed.find(({ version }) => version === reviewed.version)!;
  assert.equal(found.cosmos_sdk, reviewed.cosmos_sdk); // what the review states stays
  assert.notEqual(found.date, '');
  assert.deepEqual(
    latest_reviewed,
    listed.find(({ version }) => version === newest),
  );
  assert.deepEqual(latest_reviewed.date, releases[0]!.date || '2026-09-30');
  assert.equal(listed.filter(({ version }) => version === newest).length, 1);
});

test('a newer release upstream, a node ahead of the reviews, or an upgrade to what nobody reviewed needs attention', async () => {
  const upstream = [{ version: 'v100.0.0', date: '2026-11-19', cosmos_sdk: 'v0.60.0' }];
  const found = await tracking({ upstream });
  assert.equal(found.attention, true);
  assert.deepEqual(found.releases[0], { ...upstream[0], summary: '', indexer_impact: '', reviewed: false });
  assert.equal(found.latest_reviewed.version, newest);
  assert.equal((await tracking({ node_version: 'v99.0.0' })).attention, true);
  const pending_upgrade = { name: 'v99.0.0', height: 9_000_000, estimated_time: null };
  assert.equal((await tracking({ pending_upgrade })).attention, true);
  assert.equal((await tracking({ pending_upgrade: { ...pending_upgrade, name: 'v28.2.0' } })).attention, false);
});

test('a pending upgrade says whether it was reviewed what its handler changes', async () => {
  const pending = (name: string) => ({ pending_upgrade: { name, height: 9_000_000, estimated_time: null } });
  assert.equal((await tracking({})).upgrade_reviewed, null);
  assert.equal((await tracking(pending('v28.0.0'))).upgrade_reviewed, true);
  const { attention, upgrade_reviewed } = await tracking(pending('v99.0.0'));
  assert.deepEqual([attention, upgrade_reviewed], [true, false]);
});

test('stale when nothing was learned for more than 36 hours', async () => {
  assert.equal((await tracking({ succeeded_at: '2026-11-19T12:00:00Z' })).stale, false);
  assert.equal((await tracking({ succeeded_at: '2026-11-19T11:59:59Z' })).stale, true);
  assert.equal((await tracking({ succeeded_at: null, error: 'GitHub: answers 502' })).stale, true);
});
