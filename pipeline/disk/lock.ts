/**
 * Locks of a data folder, for what bears one process at a time: the folder locks/<name>, taken while it holds a life sign. A folder is
 * renamed onto another only if that one is empty, so of several processes that find a lock free or dead, one takes it. Why it is done
 * so: docs/decisions/locks.md.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, VariableError } from '../config-error.js';
import { listFolder, makeFolder } from './atomic-files.js';
import { isAbandoned, isAlive, type LifeSign, lifeSignName, makeLifeSign, makerOf } from './life-sign.js';

/** Names of the things that bear one process at a time. */
export type LockName = 'night' | 'store' | 'wallet-index' | `schedule-${string}`;

export type Release = () => void;

/** The lock, or who has it. */
export type Attempt = { readonly release: Release } | { readonly holder: string };

/** Milliseconds between two looks of somebody who waits. */
const LOOK_EVERY_MS = 200;

const say = (text: string) => console.error(`hubledger: ${text}`);

/**
 * Takes a lock if it is free or its holder is dead.
 * @param onWait hears of it when it takes seconds to tell whether the holder lives
 * @throws VariableError where the folder bears no locks
 */
export async function tryLock(dataDir: string, name: LockName, onWait = say): Promise<Attempt> {
  const place = join(dataDir, 'locks', name);
  try {
    for (;;) {
      const holder = await holderOf(place, onWait);
      if (holder !== undefined) return { holder: `${holder} (${place})` };
      const release = await settle(place);
      if (release) return { release };
    }
  } catch (error) {
    const { message } = error as Error;
    const must = 'must be a writable folder in which unix sockets can be made';
    throw new VariableError(`HUBLEDGER_DATA_DIR: ${dataDir} ${must}: ${message}`);
  }
}

/**
 * Takes a lock.
 * @param taken what to say when a living process holds it
 * @returns what releases it
 * @throws ConfigError when a living process holds it @throws VariableError where the folder bears no locks
 */
export async function takeLock(dataDir: string, name: LockName, taken: string): Promise<Release> {
  const attempt = await tryLock(dataDir, name);
  if ('holder' in attempt) throw new ConfigError(`${taken}: ${attempt.holder}`);
  return attempt.release;
}

/**
 * Takes a lock as soon as it is free.
 * @param taken what to say, once, when a living process holds it
 * @throws VariableError where the folder bears no locks
 */
export async function waitForLock(dataDir: string, name: LockName, taken: string): Promise<Release> {
  for (let waited = false; ; waited = true) {
    const attempt = await tryLock(dataDir, name);
    if ('release' in attempt) return attempt.release;
    if (!waited) say(`${taken}, waiting for it: ${attempt.holder}`);
    await wait(LOOK_EVERY_MS);
  }
}

/** Requires a folder that bears locks, of who will need one later. @throws VariableError */
export async function requireLocks(dataDir: string): Promise<void> {
  const attempt = await tryLock(dataDir, 'schedule-start');
  if ('release' in attempt) attempt.release();
}

/** Looks who has a lock, in words, and takes nothing; undefined where no living process has it. */
export const lockHolder = (dataDir: string, name: LockName): Promise<string | undefined> =>
  holderOf(join(dataDir, 'locks', name), say, () => {});

/** Removes the sign of a dead process; its name never comes again. */
const removeSign = (sign: string) => rmSync(sign, { force: true });

/** The living process whose sign is in the folder. */
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

/** Makes a folder with a life sign, and moves it into place. @returns undefined when another process was in between */
async function settle(place: string): Promise<Release | undefined> {
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
  if (!existsSync(placed)) return void sign.end(); // cleared away a moment before it was moved: nobody would see who holds the lock
  sign.renewAt(placed);
  await removeAbandoned(place);
  return () => {
    rmSync(placed, { force: true });
    removeEmpty(place);
    sign.end();
  };
}

/** Removes folders of processes that were killed while they took this lock. One that cannot be removed is in nobody's way. */
async function removeAbandoned(place: string): Promise<void> {
  const now = statSync(place).mtimeMs;
  for (const name of listFolder(dirname(place))) {
    if (!name.startsWith(`${basename(place)}.`)) continue;
    const folder = join(dirname(place), name);
    try {
      if (await isAbandoned(folder, now)) rmSync(folder, { recursive: true, force: true });
    } catch {
      // It is another user's, or no folder.
    }
  }
}

const isNotEmpty = (error: unknown) => ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Somebody else may have taken the lock, or have removed the folder, by now. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!isNotEmpty(error) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
