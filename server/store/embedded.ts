/**
 * The embedded store: PGlite under <dataDir>/store, which one process at a time may open. It has one connection, and it computes in a
 * thread of its own: a statement, and above all the start, would else hold up every other request.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { takeLock } from '../../pipeline/disk/lock.js';
import type { Order, Reply, Request } from './embedded-thread.js';
import {
  type Backend,
  type ClosableSession,
  type Row,
  type Session,
  StatementError,
  StoreUnavailable,
} from './session.js';

const storeFolder = (dataDir: string) => join(dataDir, 'store');

/** Whether the store's folder is there; it gets its name once it is whole. */
export const isEmbeddedMade = (dataDir: string): boolean => existsSync(storeFolder(dataDir));

/** Time that the database has to close. */
const CLOSE_MS = 6000;
/** Space below which no new rows are taken. */
const FREE_MIN_BYTES = 64_000_000;
const ADDS_ROWS = /\binsert into\b/i;

/** Whether this program can start threads: a loader that runs the TypeScript sources as they are does not reach them. */
const HAS_THREADS = import.meta.filename.endsWith('.js');

const TAKEN =
  'the embedded store is open already; stop the server that uses it, or keep the store in PostgreSQL (HUBLEDGER_DATABASE_URL)';

/**
 * Opens the store's folder, and makes it when there is none.
 * @param onLost called when it ends by itself; statements under way are rejected
 * @throws StoreUnavailable when another process has it open, or it cannot be opened
 */
export async function openEmbedded(dataDir: string, onLost: () => void): Promise<Backend> {
  const unlock = await takeLock(dataDir, 'store', TAKEN).catch(refuse);
  const folder = storeFolder(dataDir);
  let session: ClosableSession;
  const lost = () => {
    unlock();
    onLost();
  };
  try {
    // PGlite is loaded in the thread that uses it, since it is large.
    session = await (HAS_THREADS ? openThread(folder, lost) : (await import('./pglite-folder.js')).openFolder(folder));
  } catch (error) {
    unlock();
    throw new StoreUnavailable(`the embedded store in ${folder} cannot be opened: ${(error as Error).message}`);
  }
  const run: Session['run'] = async (sql, values) => {
    if (ADDS_ROWS.test(sql)) await requireRoom(dataDir);
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
 * Refuses new rows while little space is left: a database that cannot write ends, and the night on the same disk needs some. What
 * is there can still be read, changed and taken back.
 */
async function requireRoom(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < FREE_MIN_BYTES) {
    throw new StoreUnavailable(
      `nothing new is kept in the embedded store: less than ${FREE_MIN_BYTES / 1e6} MB are free in ${dataDir}`,
      false,
    );
  }
}

function refuse({ message }: Error): never {
  throw new StoreUnavailable(message);
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
  let failure = new Error('its thread has ended');
  const ask = (order: Order) =>
    new Promise<Row[]>((resolve, reject) => {
      if (state === 'ended') throw new StoreUnavailable(`the embedded store: ${failure.message}`);
      const id = requests++;
      waiting.set(id, { resolve, reject });
      thread.postMessage({ id, order } satisfies Request);
    });
  thread.on('message', ({ id, rows = [], error }: Reply) => {
    const asked = waiting.get(id)!;
    waiting.delete(id);
    if (error) asked.reject(new StatementError(error.message, error.sqlState));
    else asked.resolve(rows);
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
  await script(''); // answered once it is open
  return {
    run: (sql, values) => ask({ kind: 'run', sql, values }),
    script,
    vacuum: async () => void (await ask({ kind: 'vacuum' })),
    async close() {
      if (state === 'open') {
        state = 'closing';
        const closed = ask({ kind: 'close' }).catch(() => undefined);
        await Promise.race([closed, wait(CLOSE_MS, undefined, { ref: false })]);
        await thread.terminate(); // which is as safe as to end the process
      }
      await ended;
    },
  };
}
