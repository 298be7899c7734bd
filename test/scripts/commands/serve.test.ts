/** `hubledger serve` before it serves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeLock } from '../../../pipeline/base/disk/lock.js';
import { walletIndexDir } from '../../../pipeline/publish/generation.js';
import { HEIGHT, publish } from '../../server/published.js';
import { loaders, program } from '../run-program.js';

test('SIGTERM during the preparation of the wallet index ends a server with exit code 0', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-serve-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const generation = await publish(dataDir, HEIGHT);
  rmSync(walletIndexDir(dataDir, generation), { recursive: true });
  const release = await takeLock(dataDir, 'wallet-index', 'nobody else has it');
  t.after(release);
  const child = spawn(process.execPath, [...loaders, program, 'serve'], {
    env: { PATH: process.env.PATH, HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
  assert.match(said, /another process builds a wallet index, waiting for it/);
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null]);
});

test('a signal to all processes of a server that follows is no fault', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-serve-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const variables = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0', HUBLEDGER_FOLLOW_URL: 'http://127.0.0.1:9' };
  const child = spawn(process.execPath, [...loaders, program, 'serve'], {
    env: { PATH: process.env.PATH, ...variables },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let log = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    if (!log.includes('cannot be taken over') && text.includes('cannot be taken over'))
      process.kill(-child.pid!, 'SIGTERM');
    log += text;
  }
  assert.deepEqual(await closed, [0, null]);
  assert.doesNotMatch(log, /the follower ended/);
});

/** A module that delays all threads but the first for longer than a server waits for its store. */
const SLOW_THREADS = `
  import { isMainThread } from 'node:worker_threads';
  if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000);
`;

test('a port in use ends a server, even if its store opens slowly', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-serve-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const slow = ['--import', `data:text/javascript,${encodeURIComponent(SLOW_THREADS)}`];
  const { port } = other.address() as AddressInfo;
  const child = spawn(process.execPath, [...loaders, ...slow, program, 'serve'], {
    env: { PATH: process.env.PATH, HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
  assert.match(
    said,
    /^hubledger: port \d+ of 127\.0\.0\.1 is in use by [^\n]+; set HUBLEDGER_HOST and HUBLEDGER_PORT\n$/,
  );
  assert.deepEqual(await once(child, 'close'), [1, null]);
});
