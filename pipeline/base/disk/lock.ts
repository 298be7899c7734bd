/**
 * A lock is a folder locks/<name> that contains a life sign. A rename can replace only an empty folder, so only one
 * process acquires the lock. Reasons: docs/decisions/data-folder.md. A life sign is a Unix socket on which its process
 * listens. While the process lives, other processes on the machine can connect to the socket, even from other
 * containers. Processes on other machines cannot connect. For them, the process is alive if it renews the modification
 * time of the socket's file.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RunningError, VariableError } from '../config-error.js';
import { listFolder, makeFolder } from './atomic-files.js';
import { isAbandoned, isAlive, type LifeSign, lifeSignName, makeLifeSign, makerOf } from './life-sign.js';

type LockName = 'night' | 'follow' | 'store' | 'wallet-index' | `schedule-${string}`;

export type Release = () => void;

type Attempt = { readonly release: Release } | { readonly holder: string };

const POLL_INTERVAL_MS = 200;

const say = (text: string) => console.error(`hubledger: ${text}`);

/**
 * Tries to acquire a lock. @param onWait receives a message if it takes some seconds to check whether the lock's holder
 * is alive
 * @throws VariableError if the folder does not support locks
 */
export async function tryLock(dataDir: string, name: LockName, onWait = say): Promise<Attempt> {
  const place = join(dataDir, 'locks', name);
  try {
    for (;;) {
      const holder = await holderOf(place, onWait);
      if (holder !== undefined) return { holder: `${holder} (${place})` };
      const release = await placeLock(place);
      if (release) return { release };
    }
  } catch (error) {
    const { message } = error as Error;
    const must = 'must be a writable folder that supports Unix sockets';
    throw new VariableError(`HUBLEDGER_DATA_DIR: ${dataDir} ${must}: ${message}`);
  }
}

export async function takeLock(dataDir: string, name: LockName, taken: string): Promise<Release> {
  const attempt = await tryLock(dataDir, name);
  if ('holder' in attempt) throw new RunningError(`${taken}: ${attempt.holder}`);
  return attempt.release;
}

export async function waitForLock(dataDir: string, name: LockName, taken: string): Promise<Release> {
  for (let waited = false; ; waited = true) {
    const attempt = await tryLock(dataDir, name);
    if ('release' in attempt) return attempt.release;
    if (!waited) say(`${taken}, waiting for it: ${attempt.holder}`);
    await wait(POLL_INTERVAL_MS);
  }
}

export async function requireLocks(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'schedule-start');
  if ('release' in attempt) attempt.release();
}

export const lockHolder = (dataDir: string, name: LockName): Promise<string | undefined> =>
  holderOf(join(dataDir, 'locks', name), say, () => {});

const removeSign = (sign: string) => rmSync(sign, { force: true });

async function holderOf(
  place: string,
  onWait: (text: string) => void,
  onDead: (sign: string) => void = removeSign,
): Promise<string | undefined> {
  for (const name of listFolder(place)) {
    const sign = join(place, name);
    if (await isAlive(sign, onWait)) return makerOf(sign);
    onDead(sign);
  }
  return undefined;
}

async function placeLock(place: string): Promise<Release | undefined> {
  const folder = `${place}.${randomBytes(4).toString('hex')}`;
  makeFolder(folder);
  const name = lifeSignName();
  let sign: LifeSign | undefined;
  try {
    sign = await makeLifeSign(join(folder, name));
    renameSync(folder, place);
  } catch (error) {
    const isCleared = !existsSync(folder);
    rmSync(folder, { recursive: true, force: true });
    sign?.end();
    if (isNotEmpty(error) || isCleared) return undefined;
    throw error;
  }
  const placed = join(place, name);
  // Another process removed the life sign before the rename, so the lock is not acquired.
  if (!existsSync(placed)) return void sign.end();
  sign.renewAt(placed);
  await removeAbandoned(place);
  return () => {
    rmSync(placed, { force: true });
    removeEmpty(place);
    sign.end();
  };
}

async function removeAbandoned(place: string): Promise<void> {
  const now = statSync(place).mtimeMs;
  for (const name of listFolder(dirname(place))) {
    if (!name.startsWith(`${basename(place)}.`)) continue;
    const folder = join(dirname(place), name);
    try {
      if (await isAbandoned(folder, now)) rmSync(folder, { recursive: true, force: true });
    } catch {
      // The folder belongs to another user, or it is not a folder.
    }
  }
}

const isNotEmpty = (error: unknown) => ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!isNotEmpty(error) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

const PREFIX = '.unfinished-command-';

/**
 * Creates a temporary folder for a command without a lock, such as `verify`. A life sign keeps other processes from
 * removing it. If `beside` is read-only, the folder is created in the system's temporary folder.
 */
export async function scratchFolder(beside: string, name: string): Promise<string> {
  const folder = join(beside, `${PREFIX}${randomBytes(4).toString('hex')}-${name}`);
  try {
    mkdirSync(folder);
  } catch {
    return mkdtempSync(join(tmpdir(), 'hubledger-'));
  }
  const place = join(folder, lifeSignName());
  const sign = await makeLifeSign(place).catch(() => undefined);
  sign?.renewAt(place);
  return folder;
}

export async function removeDeadScratch(folder: string): Promise<void> {
  for (const name of listFolder(folder).filter((one) => one.startsWith(PREFIX))) {
    const scratch = join(folder, name);
    if (await isAbandoned(scratch, Date.now())) rmSync(scratch, { recursive: true, force: true });
  }
}
