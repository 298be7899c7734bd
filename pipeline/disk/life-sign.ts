/**
 * Life signs: files by which other processes tell whether the one that made them still runs. A life sign is a listening unix socket. The
 * kernel answers for it exactly as long as its process lives, blocked, paused or in another container; a process id would mean nothing
 * there. A kernel answers for its own processes only, so where the sign is another kernel's, the time of the file decides, which its
 * maker renews.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { listFolder } from './atomic-files.js';
import { withAddress } from './socket-address.js';

/**
 * Milliseconds between two renewals of a sign's time, and those after which a sign of another kernel that stayed as it is counts as
 * dead.
 */
const RENEWED_EVERY_MS = 1000;
const STILL_MS = 10_000;

/** Age from which a folder counts as left behind where this kernel answers for no sign in it: who makes one needs milliseconds for that. */
const ABANDONED_MS = 3_600_000;

/** Answers of the kernel that say that nobody listens. Whatever else it says, the lock of a process that may live is not taken. */
const DEAD = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);

const NAME = /^(\d+)@(.+)\.([0-9a-f]{8})\.[0-9a-f]{8}$/;

/** Tells this start of this machine's kernel from others; where the kernel has no id, machines are told apart by their names. */
export function kernelId(): string {
  let id = hostname();
  try {
    id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  } catch {
    // Only Linux has it.
  }
  return createHash('sha256').update(id).digest('hex').slice(0, 8);
}

/** A name for a sign of this process that no other sign has or will have. */
export function lifeSignName(): string {
  const host = hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 32);
  return `${process.pid}@${host}.${kernelId()}.${randomBytes(4).toString('hex')}`;
}

/** The process that made a sign, in words; its id is that of its own container. */
export function makerOf(file: string): string {
  const [, id, host] = NAME.exec(basename(file)) ?? [];
  return id === undefined ? 'an unknown process' : `process ${id} on ${host}`;
}

const kernelOf = (file: string) => NAME.exec(basename(file))?.[3];

/** Tells whether this kernel answers for a sign, so that nobody has to wait for what its time tells. */
const isOfThisKernel = (file: string): boolean => kernelOf(file) === kernelId();

/**
 * Tells whether a folder that has a life sign was left behind. Whoever made a sign that this kernel answers for is dead, or uses the
 * folder right now. Of a sign of another kernel, which its maker renews, the time tells; where there is none, its maker may be about to
 * make it, and the age of the folder tells.
 * @param now milliseconds, by the clock of the folder's disk
 */
export async function isAbandoned(folder: string, now: number): Promise<boolean> {
  const names = listFolder(folder);
  const sign = names.find(isOfThisKernel);
  if (sign !== undefined) return !(await isAlive(join(folder, sign), () => {}));
  const times = [folder, ...names.map((name) => join(folder, name))].map((file) => timeOf(file) ?? now);
  return now - Math.max(...times) > ABANDONED_MS;
}

export interface LifeSign {
  /** Renews the time of the sign, which was moved there, from now on. */
  renewAt(file: string): void;
  end(): void;
}

/** Makes a life sign. It does not keep the process running. */
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
        utimes(place, now, now).catch(({ code }) => code === 'ENOENT' && end()); // it was removed with its folder
      };
      renewing = setInterval(renew, RENEWED_EVERY_MS).unref();
    },
    end,
  };
}

/** Anybody who reaches the folder may ask: containers on one volume often run as different users. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject); // later ones, of a process without free descriptors, change nothing: the kernel answers all the same
    server.listen({ path, writableAll: true, exclusive: true }, resolve);
  });
}

/**
 * Tells whether the process that made a sign lives.
 * @param onWait hears of it when the answer takes seconds, because the sign is another kernel's
 */
export async function isAlive(file: string, onWait: (text: string) => void, stillMs = STILL_MS): Promise<boolean> {
  if (!DEAD.has(await ask(file))) return true;
  const kernel = kernelOf(file);
  if (kernel === undefined || kernel === kernelId() || timeOf(file) === undefined) return false;
  onWait(
    `waiting up to ${stillMs / 1000} s for a life sign of ${makerOf(file)}: of another machine, or before a restart`,
  );
  return isRenewed(file, stillMs);
}

/** Connects to a socket. @returns the code of the error; '' when somebody listens */
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
    return (error as NodeJS.ErrnoException).code ?? 'unknown'; // the folder is gone
  }
}

/** When a file was changed last, by the clock of whoever changed it; undefined when there is none. */
const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** Clocks of machines differ, so a time is compared only with what it was before. */
async function isRenewed(file: string, forMs: number): Promise<boolean> {
  const first = timeOf(file);
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await wait(Math.min(RENEWED_EVERY_MS, forMs) / 4);
    const now = timeOf(file);
    if (now !== first) return now !== undefined;
  }
  return false;
}
