/**
 * A server on a disk that fills up, and programs whose log is on a full disk. The disk is a file system in memory that only the server's own
 * namespace sees.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { nextNight } from '../../pipeline/base/disk/run-records.js';
import { chooseWallets } from '../../scripts/bench/wallets.js';
import { NightCase, SAMPLE_CHAIN } from '../pipeline/night-case.js';
import { programs } from '../requirements.js';
import { posting } from '../server/people/accounts/signed-in.js';
import { freePort } from '../server/processes/free-port.js';
import { WALLETS } from '../server/published.js';
import { becomes } from '../until.js';
import { signalInside } from './apart.js';
import { loaders, program } from './run-program.js';

const SIZE = '160m';

const moduleOf = (name: string) =>
  pathToFileURL(join(import.meta.dirname, `../../${name}${extname(import.meta.filename)}`)).href;

/** Starts a command in a namespace with the disk, which has a copy of the published data. @param before shell words to run before */
function startOn(unshare: string, chain: NightCase, words: readonly string[], before = 'true'): ChildProcess {
  const disk = chain.path('disk');
  mkdirSync(disk);
  const copy = `mount -t tmpfs -o size=${SIZE} none ${disk} && cp -r ${chain.path('data')}/. ${disk}`;
  const [command, ...inside] = [...unshare.split(' '), 'sh', '-c', `${copy} && ${before}; exec "$@"`, 'sh'];
  return spawn(command!, [...inside, process.execPath, ...loaders, ...words], {
    env: { PATH: process.env.PATH, ...chain.environment('disk'), HUBLEDGER_PORT: '0', DISK: disk },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Takes what is left of the disk, to the last byte. */
const FILL = 'dd if=/dev/zero of=$DISK/filler bs=64k 2> /dev/null; dd if=/dev/zero of=$DISK/rest bs=1 2> /dev/null';

/** Writes an index that has no room, and tells what came of it. */
const WRITE = `
  const { WalletIndexWriter } = await import(${JSON.stringify(moduleOf('pipeline/publish/build-wallet-index'))});
  const { rmSync } = await import('node:fs');
  const folder = process.env.DISK + '/index';
  try { new WalletIndexWriter(folder); } catch (error) { console.log(error.code); }
  rmSync(process.env.DISK + '/filler');
  const writer = new WalletIndexWriter(folder);
  const { randomBytes } = await import('node:crypto');
  const put = () => { for (let n = 0; ; n++) writer.put(['x', n], randomBytes(5000).toString('hex')); };
  for (const work of [put, put, () => writer.close()]) {
    await Promise.resolve().then(work).catch((error) => console.log(error.constructor.name, error.message.replace(folder, 'index')));
  }`;

for (const unshare of programs('namespaces')) {
  test('a server that starts on a full disk serves the dataset', async (t) => {
    const chain = new NightCase();
    await chain.published('data');
    const child = startOn(unshare, chain, [program, 'serve'], FILL);
    t.after(async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
      chain.remove();
    });
    let log = '';
    for await (const text of child.stdout!.iterator({ destroyOnReturn: false })) {
      log += text;
      if (log.includes('"listening"')) break;
    }
    const base = `http://127.0.0.1:${/"port":(\d+)/.exec(log)?.[1]}`;
    assert.equal((await fetch(`${base}/api/tax/v1/events?address=${WALLETS.silent}`)).status, 200);
    for await (const text of child.stdout!) {
      log += text;
      if (log.includes('the store is unavailable')) break;
    }
    assert.match(log, /the embedded store in \S+ cannot be opened: ENOSPC: the disk is full"/);
    const [id] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    assert.ok(
      !existsSync(join(`/proc/${id}/root`, chain.path('disk'), 'store.new')),
      'an unfinished store takes no space',
    );
  });

  test('a wallet index without disk space is an error of its writer', async (t) => {
    const chain = new NightCase();
    t.after(() => chain.remove());
    await chain.published('data');
    const child = startOn(unshare, chain, ['--input-type=module', '-e', WRITE], FILL);
    const [out, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
    const refusal = 'ConfigError index cannot be written: the disk is full or failing';
    assert.deepEqual([code, out.trim().split('\n')], [0, ['ENOSPC', refusal, refusal, refusal]]);
  });

  test('with little space left nothing new is stored, and everything else works, also on a full disk', async (t) => {
    const chain = new NightCase();
    await chain.published('data');
    const disk = chain.path('disk');
    const child = startOn(unshare, chain, [program, 'serve']);
    const ended = once(child, 'close');
    t.after(async () => {
      child.kill('SIGKILL');
      await ended;
      chain.remove();
    });
    let log = '';
    child.stdout!.on('data', (text) => {
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
    signalInside(child, 'SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    assert.equal(log.split('the store refused a statement').length, 2, 'one line says so');
  });
}

/** A file system of its own for temporary files, which is full. */
const FULL_TMP =
  'mkdir $DISK/tmp && mount -t tmpfs -o size=32m none $DISK/tmp && export TMPDIR=$DISK/tmp && ' +
  '{ dd if=/dev/zero of=$TMPDIR/filler bs=64k 2> /dev/null; true; }';

for (const unshare of programs('namespaces')) {
  test('with a full temporary folder long answers get 503, and all other requests work', async (t) => {
    const chain = new NightCase(SAMPLE_CHAIN);
    await chain.published('data');
    const child = startOn(unshare, chain, [program, 'serve'], FULL_TMP);
    t.after(async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
      chain.remove();
    });
    let log = '';
    child.stdout!.on('data', (text) => {
      log += text;
    });
    while (!log.includes('"listening"')) await wait(50);
    const base = `http://127.0.0.1:${/"port":(\d+)/.exec(log)![1]}`;
    const [inside] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    const spools = () =>
      readdirSync(`/proc/${inside}/fd`).filter((fd) => {
        try {
          return readlinkSync(`/proc/${inside}/fd/${fd}`).startsWith(chain.path('disk/tmp'));
        } catch {
          return false; // closed in the meantime
        }
      }).length;
    const { all } = await chooseWallets(chain.path('data'));
    const address = all.slice(-50).map((wallet) => wallet.address);
    const long = () => fetch(`${base}/api/tax/v1/events`, posting({ address }));
    const short = () => fetch(`${base}/api/tax/v1/events?address=${WALLETS.silent}`);
    const answers = await Promise.all([long(), short(), long(), short()]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 200, 503, 200],
    );
    const problem = (await answers[0]!.json()) as { code: string; detail: string };
    assert.equal(problem.code, 'unavailable');
    assert.match(problem.detail, /a disk of the server is full/);
    assert.ok(Number(answers[0]!.headers.get('retry-after')) > 0);
    await becomes(() => /"msg":"cannot write to the temporary folder \S+: ENOSPC/.test(log), true);
    await becomes(spools, 0);
    rmSync(join(`/proc/${inside}/root`, chain.path('disk/tmp/filler')));
    const answer = await long();
    assert.equal(answer.status, 200);
    assert.ok((await answer.text()).length > 512 * 1024, 'the answer is long');
    await becomes(spools, 0);
  });
}

for (const full of ['/dev/full'].filter(existsSync)) {
  test('a night, a server and a scheduler work with a log on a full disk, and end on a signal', async (t) => {
    const chain = new NightCase();
    t.after(() => chain.remove());
    const output = openSync(full, 'w');
    const port = String(await freePort());
    const start = (...words: string[]) => {
      const environment = { PATH: process.env.PATH, HUBLEDGER_PORT: port, ...chain.environment('data') };
      const child = spawn(process.execPath, [...loaders, program, ...words], {
        env: environment,
        stdio: ['ignore', output, 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      return { child, ended: once(child, 'exit') };
    };
    assert.deepEqual(await start('nightly').ended, [0, null]);
    const isServing = async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok;
    const isScheduled = async () => nextNight.read(chain.path('data')) !== undefined;
    const schedule = ['schedule', '--nightly', '0 0 1 1 *', '--watch-releases', '0 0 1 1 *'];
    for (const [words, isReady] of [
      [['serve'], isServing],
      [schedule, isScheduled],
    ] as const) {
      const { child, ended } = start(...words);
      while (!(await isReady()) && child.exitCode === null) await wait(50);
      child.kill('SIGINT');
      assert.deepEqual(await ended, [0, null], words[0]);
    }
  });
}
