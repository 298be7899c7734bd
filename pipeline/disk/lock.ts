/**
 * Locks: folders locks/<name> that contain a life sign. A rename replaces only an empty folder, so only one process
 * acquires a lock. Reasons: docs/decisions/locks.md.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RunningError, VariableError } from '../config-error.js';
import { listFolder, makeFolder } from './atomic-files.js';
import { isAbandoned, isAlive, type LifeSign, lifeSignName, makeLifeSign, makerOf } from './life-sign.js';

export type LockName = 'night' | 'store' | 'wallet-index' | `schedule-${string}`;

export type Release = () => void;

export type Attempt = { readonly release: Release } | { readonly holder: string };

const POLL_INTERVAL_MS = 200;

const say = (text: string) => console.error(`hubledger: ${text}`);

/**
 * Acquires a lock if it is free or its holder is dead.
 * @param onWait called before waiting several seconds for a possibly dead holder
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

/**
 * @throws RunningError starting with `taken` if a living process holds the lock
 * @throws VariableError if the folder does not support locks
 */
export async function takeLock(dataDir: string, name: LockName, taken: string): Promise<Release> {
  const attempt = await tryLock(dataDir, name);
  if ('holder' in attempt) throw new RunningError(`${taken}: ${attempt.holder}`);
  return attempt.release;
}

/** Waits for a lock; logs `taken` once. */
export async function waitForLock(dataDir: string, name: LockName, taken: string): Promise<Release> {
  for (let waited = false; ; waited = true) {
    const attempt = await tryLock(dataDir, name);
    if ('release' in attempt) return attempt.release;
    if (!waited) say(`${taken}, waiting for it: ${attempt.holder}`);
    await wait(POLL_INTERVAL_MS);
  }
}

/** Checks that the folder supports locks, before one is needed. */
export async function requireLocks(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'schedule-start');
  if ('release' in attempt) attempt.release();
}

/** Describes the living holder of a lock without changing anything. */
export const lockHolder = (dataDir: string, name: LockName): Promise<string | undefined> =>
  holderOf(join(dataDir, 'locks', name), say, () => {});

/** Names are never reused, so removal is safe. */
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

/** Moves a folder with a life sign into place. Returns undefined if another process was faster. */
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
  if (!existsSync(placed)) return void sign.end(); // another process removed the sign before the rename, so the lock would look free
  sign.renewAt(placed);
  await removeAbandoned(place);
  return () => {
    rmSync(placed, { force: true });
    removeEmpty(place);
    sign.end();
  };
}

/** Removes leftovers of processes killed while acquiring this lock. */
async function removeAbandoned(place: string): Promise<void> {
  const now = statSync(place).mtimeMs;
  for (const name of listFolder(dirname(place))) {
    if (!name.startsWith(`${basename(place)}.`)) continue;
    const folder = join(dirname(place), name);
    try {
      if (await isAbandoned(folder, now)) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another user's folder, or not a folder.
    }
  }
}

const isNotEmpty = (error: unknown) => ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Another process may already hold the lock or have removed the folder. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!isNotEmpty(error) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
