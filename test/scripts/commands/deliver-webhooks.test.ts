import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig, releasesFile } from '../../../pipeline/config.js';
import type { ReleaseWatch } from '../../../schemas/types.generated.js';
import { deliveryJob } from '../../../scripts/schedule/recurring.js';
import { Store } from '../../../server/people/store/store.js';
import { run } from '../run-program.js';

const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-webhooks-'));
after(() => rmSync(dataDir, { recursive: true }));
const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_NOW: '2026-06-01T12:30:00Z' };

async function known(): Promise<unknown> {
  const store = new Store(readConfig(environment));
  try {
    return await store.query('announcements/find');
  } finally {
    await store.close();
  }
}

/** Writes the file of the release watcher. */
function writeWatch(upgrade: ReleaseWatch['pending_upgrade']): void {
  const instant = '2026-06-01T12:00:00Z';
  const upstream = [{ version: 'v28.0.0', date: '2026-05-30', cosmos_sdk: 'v0.53.4' }];
  const learned = { node_version: 'v28.0.0', cosmos_sdk: 'v0.53.4', newest_release: 'v28.0.0', height: 7, error: null };
  const watch: ReleaseWatch = {
    ...learned,
    checked_at: instant,
    succeeded_at: instant,
    pending_upgrade: upgrade,
    upstream,
  };
  writeFileSync(releasesFile(dataDir), JSON.stringify(watch));
}

test('the command and the job announce the findings of the watcher', async () => {
  assert.deepEqual(run(['deliver-webhooks'], environment).out, '0 delivered, 0 failed\n');
  assert.deepEqual(await known(), [{ versions: [], pending_upgrade: null }]);
  writeWatch(null);
  assert.deepEqual(run(['deliver-webhooks'], environment).out, '0 delivered, 0 failed\n');
  assert.deepEqual(await known(), [{ versions: ['v28.0.0'], pending_upgrade: null }]);
  const upgrade = { name: 'v29', height: 9, estimated_time: null };
  writeWatch(upgrade);
  const store = new Store(readConfig(environment));
  await deliveryJob(store, readConfig(environment))
    .run(new AbortController().signal)
    .finally(() => store.close());
  assert.deepEqual(await known(), [{ versions: ['v28.0.0'], pending_upgrade: upgrade }]);
});
