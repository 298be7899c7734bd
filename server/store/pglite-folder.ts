/** PGlite on a folder, in the thread that opens it. */
import { chmodSync, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { dataDir as preparedFolder } from '@electric-sql/pglite-prepopulatedfs';
import { listFolder, sync, syncTree } from '../../pipeline/disk/atomic-files.js';
import type { ClosableSession } from './session.js';

/** PostgreSQL's own 128 MiB of buffers are memory that is taken and never given back; what people give is a few megabytes. */
const START = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'] };
/**
 * Bytes of PostgreSQL's machine code that a function runs before V8 compiles it once more, a hundred times as many as usual. For the
 * few statements of a start that took two thirds of the time; what runs all day is compiled in the end.
 */
setFlagsFromString('--wasm-tiering-budget=180000000');

/** The user alone may look into it: signing secrets of webhooks are kept as they are. */
const OWNER_ONLY = 0o700;

/** Tells statements after which nothing need be on disk: they change nothing, or what a power cut may take, a sign-in that is under way. */
const NEEDS_NO_SYNC = /^(?:\s|--.*\n)*(?:select|show|explain)\b|\b(?:sign_in_challenges|oidc_visits)\b/i;

/**
 * Opens a folder, and makes it when there is none. This process holds the lock of the store: a half-made one beside it is a dead one's.
 * PGlite's file system passes on no fsync, so the write-ahead log is brought to disk here before a change is acknowledged.
 * @throws Error of PGlite
 */
export async function openFolder(folder: string): Promise<ClosableSession> {
  if (!existsSync(folder)) await makeFolder(folder);
  chmodSync(folder, OWNER_ONLY);
  const database = await PGlite.create(folder, START);
  let inTransaction = false;
  const syncLog = logSyncer(join(folder, 'pg_wal'));
  return {
    async run(sql, values) {
      const { rows } = await database.query<Record<string, unknown>>(sql, [...values]);
      if (!inTransaction && !NEEDS_NO_SYNC.test(sql)) syncLog();
      return rows;
    },
    async script(sql) {
      await database.exec(sql);
      inTransaction = sql === 'begin';
      if (sql !== 'begin' && sql !== 'rollback') syncLog();
    },
    async vacuum() {
      await database.exec('vacuum');
      syncTree(folder);
    },
    async close() {
      await database.close();
      if (existsSync(folder)) syncTree(folder);
    },
  };
}

/** Makes what brings the write-ahead log to disk: its segments, and their names when there are others. */
function logSyncer(log: string): () => void {
  let known = '';
  return () => {
    const segments = listFolder(log).filter((name) => /^[0-9A-F]{24}$/.test(name));
    for (const segment of segments) sync(join(log, segment));
    const names = segments.join();
    if (names !== known) sync(log);
    known = names;
  };
}

/** Makes an empty database, unpacked beside its place and moved there in one step: a process that dies leaves none half made. */
async function makeFolder(folder: string): Promise<void> {
  const making = `${folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true, mode: OWNER_ONLY });
  const database = await PGlite.create(making, { ...START, loadDataDir: await preparedFolder() });
  await database.close();
  syncTree(making);
  await rename(making, folder);
  sync(dirname(folder));
}
