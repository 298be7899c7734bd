/** A server on a disk that fills up. The disk is a file system in memory that only the server's own namespace sees. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { NightCase } from '../pipeline/night-case.js';
import { programs } from '../requirements.js';
import { posting } from '../server/accounts/signed-in.js';
import { WALLETS } from '../server/published.js';
import { signalInside } from './apart.js';
import { loaders, program } from './run-program.js';

const SIZE = '160m';

for (const unshare of programs('namespaces')) {
  test('nothing new is kept while little space is left; all else goes on, also on a full disk', async (t) => {
    const chain = new NightCase();
    await chain.published('data');
    const disk = chain.path('disk');
    mkdirSync(disk);
    const script = `mount -t tmpfs -o size=${SIZE} none ${disk} && cp -r ${chain.path('data')}/. ${disk} && exec "$@"`;
    const [command, ...words] = [
      ...unshare.split(' '),
      'sh',
      '-c',
      script,
      'sh',
      process.execPath,
      ...loaders,
      program,
    ];
    const child = spawn(command!, [...words, 'serve'], {
      env: { PATH: process.env.PATH, ...chain.environment('disk'), HUBLEDGER_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    t.after(async () => {
      child.kill('SIGKILL');
      await ended;
      chain.remove();
    });
    let log = '';
    child.stdout.on('data', (text) => {
      log += text;
    });
    while (!log.includes('"listening"')) await wait(50);
    const base = `http://127.0.0.1:${/"port":(\d+)/.exec(log)![1]}`;
    const address = WALLETS.silent;
    const events = async () => (await fetch(`${base}/api/tax/v1/events?address=${address}`)).status;
    const key = { authorization: `Bearer hl_${'0'.repeat(16)}${'a'.repeat(43)}` };
    const me = async () => (await fetch(`${base}/api/account/v1/me`, { headers: key })).status;
    const newRow = async () => (await fetch(`${base}/api/account/v1/sign-in/challenge`, posting({ address }))).status;
    const settle = async (status: number) => {
      for (let i = 0; (await newRow()) !== status; i++) {
        assert.ok(i < 300, `no new row is ever answered with ${status}: ${log}`);
        await wait(200);
      }
    };
    await settle(200);
    const [id] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    const inside = join(`/proc/${id}/root`, disk);
    const filler = join(inside, 'filler');
    const { bavail, bsize } = statfsSync(inside);
    const free = bavail * bsize;
    assert.ok(free > 70e6, `${free} bytes`);
    writeFileSync(filler, Buffer.alloc(free - 60e6));
    assert.deepEqual([await newRow(), await newRow(), await me(), await events()], [503, 503, 401, 200]);
    assert.throws(() => writeFileSync(join(inside, 'more'), Buffer.alloc(70e6)), /ENOSPC/);
    assert.deepEqual([await newRow(), await me(), await events()], [503, 401, 200]);
    for (const file of [filler, join(inside, 'more')]) rmSync(file);
    await settle(200);
    const began = performance.now();
    signalInside(child, 'SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    assert.equal(log.split('the store refuses to do something').length, 2, 'one line says so');
    assert.ok(performance.now() - began < 12_000);
  });
}
