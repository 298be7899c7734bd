/**
 * A lock is a folder locks/<name> that contains a life sign. A rename can replace only an empty folder, so only one
 * process acquires the lock. Reasons: docs/decisions/data-folder.md. A life sign is a Unix socket on which its process
 * listens. While the process lives, other processes on the machine can connect to the socket, even from other
 * containers. Processes on other machines cannot connect. For them, the process is alive if it renews the modification
 * time of the socket's file.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { RunningError, VariableError } from '../config-error.js';
import { listFolder, makeFolder } from './atomic-files.js';
import { withAddress } from './socket-address.js';

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

/**
 * A process renews its life sign at this interval. For other machines, it counts as dead after STALE_AFTER_MS without
 * renewal.
 */
const RENEW_INTERVAL_MS = 1000;
const STALE_AFTER_MS = 10_000;

/**
 * A folder of at least this age without a living process is abandoned. Creating a life sign takes only milliseconds.
 */
const ABANDONED_MS = 3_600_000;

/** Connection errors that prove that no process listens. After other errors, the process counts as alive. */
const DEAD_CODES = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

const NAME = /^(\d+)@(.+)\.([0-9a-f]{8})\.[0-9a-f]{8}$/;

export function kernelId(): string {
  let id = hostname();
  try {
    id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  } catch {
    // Only Linux has a boot id.
  }
  return createHash('sha256').update(id).digest('hex').slice(0, 8);
}

export function lifeSignName(): string {
  const host = hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 32);
  return `${process.pid}@${host}.${kernelId()}.${randomBytes(4).toString('hex')}`;
}

function makerOf(file: string): string {
  const [, id, host] = NAME.exec(basename(file)) ?? [];
  return id === undefined ? 'an unknown process' : `process ${id} on ${host}`;
}

const kernelOf = (file: string) => NAME.exec(basename(file))?.[3];

const isOfThisKernel = (file: string): boolean => kernelOf(file) === kernelId();

/**
 * Returns true if the process that made the folder has ended. On the same kernel, checks the process's socket. On
 * another machine, compares the ages of the folder and its files.
 * @param now current time in milliseconds, by the disk's clock
 */
async function isAbandoned(folder: string, now: number): Promise<boolean> {
  const names = listFolder(folder);
  const sign = names.find(isOfThisKernel);
  if (sign !== undefined) return !(await isAlive(join(folder, sign), () => {}));
  const times = [folder, ...names.map((name) => join(folder, name))].map((file) => timeOf(file) ?? now);
  return now - Math.max(...times) > ABANDONED_MS;
}

interface LifeSign {
  renewAt(file: string): void;
  end(): void;
}

export async function makeLifeSign(file: string): Promise<LifeSign> {
  const server = createServer((socket) => socket.destroy());
  await withAddress(dirname(file), basename(file), (address) => listen(server, address));
  server.unref();
  let renewing: NodeJS.Timeout | undefined;
  const end = () => {
    clearInterval(renewing);
    server.close();
  };
  return {
    renewAt(place) {
      const renew = () => {
        const now = new Date();
        utimes(place, now, now).catch(({ code }) => code === 'ENOENT' && end());
      };
      renewing = setInterval(renew, RENEW_INTERVAL_MS).unref();
    },
    end,
  };
}

/** Listens on a socket. All users may connect, because containers that share a folder often run as different users. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen({ path, writableAll: true, exclusive: true }, resolve);
  });
}

export async function isAlive(
  file: string,
  onWait: (text: string) => void,
  staleAfterMs = STALE_AFTER_MS,
): Promise<boolean> {
  if (!DEAD_CODES.has(await ask(file))) return true;
  const kernel = kernelOf(file);
  if (kernel === undefined || kernel === kernelId() || timeOf(file) === undefined) return false;
  onWait(
    `waiting up to ${staleAfterMs / 1000} s for a life sign of ${makerOf(file)}, on another machine or from before a reboot`,
  );
  return isRenewed(file, staleAfterMs);
}

async function ask(file: string): Promise<string> {
  const connected = (address: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(address);
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
      socket.once('connect', () => {
        socket.destroy();
        resolve('');
      });
    });
  try {
    return await withAddress(dirname(file), basename(file), connected);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/**
 * Waits until the file's modification time changes. Does not compare this time with a clock, because the clocks of
 * machines differ.
 */
async function isRenewed(file: string, forMs: number): Promise<boolean> {
  const first = timeOf(file);
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await wait(Math.min(RENEW_INTERVAL_MS, forMs) / 4);
    const now = timeOf(file);
    if (now !== first) return now !== undefined;
  }
  return false;
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
