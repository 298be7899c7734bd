import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { lockHolder } from '../../../pipeline/base/disk/lock.js';
import { projectRoot } from '../../../pipeline/base/project.js';

test('a signal to npm start also ends its night', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-start-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const node = createServer(); // takes questions and never answers
  await once(node.listen(0, '127.0.0.1'), 'listening');
  t.after(() => node.close());
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const file = pathToFileURL(join(projectRoot(), 'scripts/build/ensure-dataset.mjs')).href;
  const start = spawn(
    process.execPath,
    ['--input-type=module', '-e', `await (await import('${file}')).ensureDataset()`],
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
