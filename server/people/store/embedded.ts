/**
 * The embedded store is a PGlite database in <dataDir>/store. Only one process can open it. The database runs in a
 * worker thread, because its startup and its statements would block the event loop.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { takeLock } from '../../../pipeline/base/disk/lock.js';
import type { Order, Reply, Request } from './embedded-thread.js';
import {
  type Backend,
  type ClosableSession,
  type Row,
  reasonOf,
  type Session,
  StatementError,
  StoreUnavailable,
} from './session.js';

const storeFolder = (dataDir: string) => join(dataDir, 'store');

/** Returns true if the store exists. The folder gets its final name only after the store is complete. */
export const embeddedExists = (dataDir: string): boolean => existsSync(storeFolder(dataDir));

const CLOSE_MS = 6000;
/** If less disk space is free, inserts are rejected. */
const FREE_MIN_BYTES = 64_000_000;
const ADDS_ROWS = /\binsert into\b/i;

/**
 * True if the program runs from compiled files. Worker threads cannot load TypeScript sources, so the database then
 * runs in the main thread.
 */
const HAS_THREADS = import.meta.filename.endsWith('.js');

const ALREADY_OPEN =
  'the embedded store is open already; stop the server that uses it, or keep the store in PostgreSQL (HUBLEDGER_DATABASE_URL)';

export async function openEmbedded(dataDir: string, onLost: () => void): Promise<Backend> {
  const unlock = await takeLock(dataDir, 'store', ALREADY_OPEN).catch(refuse);
  const folder = storeFolder(dataDir);
  let session: ClosableSession;
  const lost = () => {
    unlock();
    onLost();
  };
  try {
    // In the main thread, imports PGlite only when needed, because it is large.
    session = await (HAS_THREADS ? openThread(folder, lost) : (await import('./pglite-folder.js')).openFolder(folder));
  } catch (error) {
    unlock();
    throw new StoreUnavailable(`the embedded store in ${folder} cannot be opened: ${reasonOf(error)}`);
  }
  const run: Session['run'] = async (sql, values) => {
    if (ADDS_ROWS.test(sql)) await requireFreeSpace(dataDir);
    return session.run(sql, values);
  };
  const oneAtATime = pLimit(1);
  return {
    acquire: () =>
      new Promise((acquired) => {
        const held = () =>
          new Promise<void>((done) => acquired({ run, script: session.script, release: () => done() }));
        void oneAtATime(held);
      }),
    vacuum: () => oneAtATime(() => session.vacuum()),
    close: () => oneAtATime(() => session.close().finally(unlock)),
  };
}

/**
 * Throws an error if the disk is nearly full. A full disk would crash the database, and nightly runs also need space.
 * Reads, updates and deletes still work.
 */
async function requireFreeSpace(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < FREE_MIN_BYTES) {
    throw new StoreUnavailable(
      `the embedded store accepts no new rows: less than ${FREE_MIN_BYTES / 1e6} MB are free in ${dataDir}`,
      false,
    );
  }
}

function refuse(cause: Error): never {
  throw new StoreUnavailable(cause.message, true, { cause });
}

interface Waiting {
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: Error) => void;
}

async function openThread(folder: string, onLost: () => void): Promise<ClosableSession> {
  const thread = new Worker(new URL('./embedded-thread.js', import.meta.url), { workerData: folder });
  const waiting = new Map<number, Waiting>();
  let state: 'open' | 'closing' | 'ended' = 'open';
  let requests = 0;
  let failure = new Error('its worker thread has ended');
  const ask = (order: Order) =>
    new Promise<Row[]>((resolve, reject) => {
      if (state === 'ended') throw new StoreUnavailable(`the embedded store: ${failure.message}`);
      const id = requests++;
      waiting.set(id, { resolve, reject });
      thread.postMessage({ id, order } satisfies Request);
    });
  thread.on('message', ({ id, rows = [], error }: Reply) => {
    const waiter = waiting.get(id)!;
    waiting.delete(id);
    if (error) waiter.reject(new StatementError(error.message, error.sqlState));
    else waiter.resolve(rows);
  });
  thread.on('error', (error: Error) => {
    failure = error;
  });
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      if (state === 'open') onLost();
      state = 'ended';
      for (const { reject } of waiting.values()) reject(new StoreUnavailable(`the embedded store: ${failure.message}`));
      waiting.clear();
      resolve();
    });
  });
  const script = async (sql: string) => void (await ask({ kind: 'script', sql }));
  await script('').catch((error) => {
    throw state === 'ended' ? failure : error;
  });
  return {
    run: (sql, values) => ask({ kind: 'run', sql, values }),
    script,
    vacuum: async () => void (await ask({ kind: 'vacuum' })),
    async close() {
      if (state === 'open') {
        state = 'closing';
        const closed = ask({ kind: 'close' }).catch(() => undefined);
        await Promise.race([closed, wait(CLOSE_MS, undefined, { ref: false })]);
        await thread.terminate(); // safe, because committed changes survive the end of the thread
      }
      await ended;
    },
  };
}
