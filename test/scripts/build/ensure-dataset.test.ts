import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { lockHolder } from '../../../pipeline/base/disk/lock.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import { publish } from '../../server/published.js';

const FILE = pathToFileURL(join(projectRoot(), 'scripts/build/ensure-dataset.mjs')).href;

test('a signal to npm start also ends its night', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-start-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const node = createServer(); // takes questions and never answers
  await once(node.listen(0, '127.0.0.1'), 'listening');
  t.after(() => node.close());
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const start = spawn(
    process.execPath,
    ['--input-type=module', '-e', `await (await import('${FILE}')).ensureDataset()`],
    {
      env: { PATH: process.env.PATH, HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_RPC_URLS: url, HUBLEDGER_LCD_URLS: url },
      stdio: 'ignore',
    },
  );
  const [asked] = (await once(node, 'connection')) as [Socket];
  asked.on('error', () => undefined).resume();
  assert.notEqual(await lockHolder(dataDir, 'night'), undefined);
  const ended = once(start, 'exit');
  start.kill('SIGTERM');
  assert.deepEqual(await ended, [null, 'SIGTERM']);
  assert.equal(await lockHolder(dataDir, 'night'), undefined);
});

/** Runs what `npm start` does about the dataset. */
function ensure(environment: Record<string, string>) {
  const code = `const { dataDir } = await (await import('${FILE}')).ensureDataset(); console.log('serves ' + dataDir);`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  return { status, out: stdout, error: stderr };
}

test('an old dataset of a node is renewed, or served if the node is away, but never for another chain', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-start-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  await publish(dataDir);
  const environment = {
    HUBLEDGER_DATA_DIR: dataDir,
    HUBLEDGER_RPC_URLS: 'http://127.0.0.1:9',
    HUBLEDGER_NODE_CHAIN_ID: 'localhub-2',
  };
  const fresh = ensure({ ...environment, HUBLEDGER_NOW: '2026-04-15T11:00:00Z' });
  assert.deepEqual(fresh, { status: 0, out: `▸ dataset: the one in ${dataDir}\nserves ${dataDir}\n`, error: '' });
  const old = ensure({ ...environment, HUBLEDGER_NOW: '2026-04-16T12:00:00Z' });
  assert.equal(old.status, 0, old.error);
  assert.match(old.out, /^▸ dataset: one nightly run on 127\.0\.0\.1:9, because the last block is 48 hours old\n/);
  assert.match(old.out, /▸ the nightly run failed \(exit code 1\): the published dataset is served/);
  const other = ensure({ ...environment, HUBLEDGER_NODE_CHAIN_ID: 'cosmoshub-4' });
  assert.equal(other.status, 2);
  assert.match(
    other.error,
    /^hubledger: .* has a dataset of localhub-2, but this run reads cosmoshub-4: set HUBLEDGER_DATA_DIR/,
  );
});
