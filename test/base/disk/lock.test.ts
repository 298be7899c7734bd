import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { isAbandoned, isAlive, kernelId, lifeSignName, makeLifeSign } from '../../../pipeline/base/disk/life-sign.js';
import {
  type Release,
  removeDeadScratch,
  scratchFolder,
  takeLock,
  tryLock,
  waitForLock,
} from '../../../pipeline/base/disk/lock.js';
import { until } from '../../until.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-lock-'));
after(() => rmSync(root, { recursive: true }));
let folders = 0;
const newFolder = () => join(root, `data-${folders++}`);

const lockNight = (folder: string) => takeLock(folder, 'night', 'a nightly run is already in progress');
const locksOf = (folder: string) => readdirSync(join(folder, 'locks'));
const CHILD = join(import.meta.dirname, `lock-child${extname(import.meta.filename)}`);

/** Starts a process that takes the lock; resolves with what it says of that. */
async function startHolder(folder: string, ...words: string[]): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [...process.execArgv, CHILD, folder, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = await once(child.stdout!, 'data');
  return { child, said: String(text).trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('a living process keeps its lock until it releases it', async () => {
  const folder = newFolder();
  const release = await lockNight(folder);
  await assert.rejects(lockNight(folder), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(
      error.message,
      /^a nightly run is already in progress: process \d+ on [^ \n]+ \([^\n]*locks\/night\)$/,
    );
    assert.ok(error.message.includes(`process ${process.pid} on `));
    return true;
  });
  (await takeLock(folder, 'store', 'open already'))();
  release();
  assert.deepEqual(locksOf(folder), []);
  (await lockNight(folder))();
});

test('the lock of a killed process is taken over at once, twenty times', async () => {
  const folder = newFolder();
  for (let round = 0; round < 20; round++) {
    const { child, said } = await startHolder(folder);
    assert.equal(said, 'taken');
    await kill(child);
    // A lock whose holder cannot be seen is watched for ten seconds.
    const attempt = await tryLock(folder, 'night', assert.fail);
    assert.ok('release' in attempt);
    attempt.release();
    assert.deepEqual(locksOf(folder), []);
  }
});

test('a process that is blocked, or stopped, keeps its lock', async () => {
  const folder = newFolder();
  const { child } = await startHolder(folder, '3000');
  for (let asked = 0; asked < 10; asked++) {
    await assert.rejects(lockNight(folder), /process \d+ on/);
    await wait(200);
  }
  child.kill('SIGSTOP');
  await assert.rejects(lockNight(folder), /process \d+ on/);
  await kill(child);
  (await lockNight(folder))();
});

/** Returns true if a folder below has a file of a process. A folder may be renamed meanwhile. */
function hasSign(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) => name.includes('@'));
  } catch {
    return false;
  }
}

test('a process that is stopped while it makes its life sign does not count as ended', async (t) => {
  for (let round = 0; round < 20; round++) {
    const locks = join(newFolder(), 'locks');
    mkdirSync(locks, { recursive: true });
    const child = spawn(process.execPath, [...process.execArgv, CHILD, join(locks, '..')], { stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    // Looks without a pause, because the moment is short.
    for (const end = Date.now() + 60_000; !hasSign(locks); ) assert.ok(Date.now() < end, 'no life sign is made');
    child.kill('SIGSTOP');
    await wait(20);
    const found = readdirSync(locks).map((name) => isAbandoned(join(locks, name), Date.now()));
    assert.deepEqual(await Promise.all(found), [false]);
    await kill(child);
  }
});

test('of many that take a free or a dead lock at once, one has it', async () => {
  const folder = newFolder();
  for (let round = 0; round < 30; round++) {
    if (round % 3 === 0) await kill((await startHolder(folder)).child);
    const attempts = await Promise.all(Array.from({ length: 12 }, () => tryLock(folder, 'night')));
    const releases = attempts.flatMap((attempt): Release[] => ('release' in attempt ? [attempt.release] : []));
    assert.equal(releases.length, 1);
    releases[0]!();
    assert.deepEqual(locksOf(folder), []);
  }
});

test('processes that start at the same time on a dead lock: one has it', async () => {
  const folder = newFolder();
  await kill((await startHolder(folder)).child);
  const holders = await Promise.all(Array.from({ length: 5 }, () => startHolder(folder)));
  const said = holders.map((holder) => holder.said);
  assert.equal(said.filter((text) => text === 'taken').length, 1);
  assert.equal(said.filter((text) => /^a nightly run is already in progress: process \d+ on/.test(text)).length, 4);
  for (const { child } of holders) if (child.exitCode === null) await kill(child);
});

test('who waits for a lock gets it when it is free', async () => {
  const folder = newFolder();
  const release = await lockNight(folder);
  let isTaken = false;
  const waiting = waitForLock(folder, 'night', 'another nightly run is in progress').then((taken) => {
    isTaken = true;
    return taken;
  });
  await wait(300);
  assert.equal(isTaken, false);
  release();
  (await waiting)();
});

test('folders may lie as deep as they like', async () => {
  const folder = join(newFolder(), 'x'.repeat(100), 'y'.repeat(200));
  const release = await lockNight(folder);
  await assert.rejects(lockNight(folder), /a nightly run is already in progress/);
  release();
});

test('a folder that bears no locks is one line', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(join(folder, 'locks'), '');
  await assert.rejects(lockNight(folder), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /^[^\n]+ must be a writable folder that supports Unix sockets: [^\n]+$/);
    return true;
  });
});

test('what others left in a lock does not hold it, and what was begun long ago is cleared away', async () => {
  const folder = newFolder();
  const [young, old] = ['night.0000abcd', 'night.0000dcba'].map((name) => join(folder, 'locks', name));
  for (const begun of [young, old]) mkdirSync(begun!, { recursive: true });
  utimesSync(old!, new Date(), new Date(Date.now() - 7_200_000));
  mkdirSync(join(folder, 'locks/night'));
  writeFileSync(join(folder, 'locks/night/copied'), '');
  writeFileSync(join(folder, 'locks/night.note'), '');
  (await lockNight(folder))();
  assert.deepEqual([existsSync(young!), existsSync(old!)], [true, false]);
});

test('what a process killed while it took a lock left there goes at once, and what a living one makes stays', async () => {
  const folder = newFolder();
  const { child } = await startHolder(folder);
  await kill(child);
  const [killed, living] = ['night.0000dead', 'night.0000beef'].map((name) => join(folder, 'locks', name));
  renameSync(join(folder, 'locks/night'), killed!);
  mkdirSync(living!);
  const sign = await makeLifeSign(join(living!, lifeSignName()));
  (await lockNight(folder))();
  assert.deepEqual([existsSync(killed!), existsSync(living!)], [false, true]);
  sign.end();
});

test('a sign of another kernel lives as long as its time is renewed', async () => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  const [own, foreign] = [join(folder, lifeSignName()), join(folder, '7@elsewhere.00000000.00000000')];
  const waits: string[] = [];
  const hear = (text: string) => void waits.push(text);
  const sign = await makeLifeSign(own);
  assert.equal(await isAlive(own, hear), true);
  sign.end();
  assert.equal(await isAlive(own, hear), false);
  assert.deepEqual(waits, []);
  writeFileSync(foreign, '');
  assert.equal(await isAlive(foreign, hear, 300), false);
  const renewing = setInterval(() => utimesSync(foreign, new Date(), new Date()), 50);
  assert.equal(await isAlive(foreign, hear, 60_000), true);
  clearInterval(renewing);
  rmSync(foreign);
  assert.equal(await isAlive(foreign, hear, 300), false);
  assert.equal(waits.length, 2);
  assert.match(waits[0]!, /^waiting up to 0\.3 s for a life sign of process 7 on elsewhere, /);
});

test('a lock renews the time of its sign', async () => {
  const folder = newFolder();
  const release = await lockNight(folder);
  const [name] = readdirSync(join(folder, 'locks/night'));
  const sign = join(folder, 'locks/night', name!);
  utimesSync(sign, 1, 1);
  await until(() => statSync(sign).mtimeMs !== 1000, 'the sign is renewed');
  release();
});

const LONG_AGO = new Date(Date.now() - 7_200_000);

/** Makes a scratch folder of two hours ago, and gives its sign the name that another kernel would give it. */
async function ofAnotherKernel(): Promise<{ folder: string; sign: string }> {
  const folder = await scratchFolder(root, 'spill');
  const [name] = readdirSync(folder);
  const sign = join(folder, name!.replace(kernelId(), '00000000'));
  renameSync(join(folder, name!), sign);
  for (const one of [sign, folder]) utimesSync(one, LONG_AGO, LONG_AGO);
  return { folder, sign };
}

test('a scratch folder says while its command runs that it is in use', async () => {
  const folder = await scratchFolder(root, 'spill');
  const sign = join(folder, readdirSync(folder)[0]!);
  for (const one of [sign, folder]) utimesSync(one, LONG_AGO, LONG_AGO);
  await removeDeadScratch(root);
  assert.ok(existsSync(folder));
  await until(() => statSync(sign).mtimeMs !== LONG_AGO.getTime(), 'the sign is renewed');
  rmSync(folder, { recursive: true });
});

test('of a scratch folder whose sign is another kernel’s, the time of that tells whether it is in use', async () => {
  const { folder, sign } = await ofAnotherKernel();
  utimesSync(sign, new Date(), new Date());
  await removeDeadScratch(root);
  assert.ok(existsSync(folder));
  for (const one of [sign, folder]) utimesSync(one, LONG_AGO, LONG_AGO);
  await removeDeadScratch(root);
  assert.ok(!existsSync(folder));
});
