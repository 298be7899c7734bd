/**
 * A life sign is a socket in a shared folder. It shows other processes that its process still runs, also on other
 * machines, where only the file's renewed time is visible.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { listFolder } from './atomic-files.js';
import { withAddress } from './socket-address.js';

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

export function makerOf(file: string): string {
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
export async function isAbandoned(folder: string, now: number): Promise<boolean> {
  const names = listFolder(folder);
  const sign = names.find(isOfThisKernel);
  if (sign !== undefined) return !(await isAlive(join(folder, sign), () => {}));
  const times = [folder, ...names.map((name) => join(folder, name))].map((file) => timeOf(file) ?? now);
  return now - Math.max(...times) > ABANDONED_MS;
}

export interface LifeSign {
  renewAt(file: string): void;
  end(): void;
}

/**
 * Makes a life sign. The socket gets its name only when it listens, because a socket that does not listen counts as
 * the life sign of a dead process.
 */
export async function makeLifeSign(file: string): Promise<LifeSign> {
  const server = createServer((socket) => socket.destroy());
  const making = `making-${basename(file)}`;
  await withAddress(dirname(file), making, (address) => listen(server, address));
  server.unref();
  renameSync(join(dirname(file), making), file);
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
