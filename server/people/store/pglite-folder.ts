import { chmodSync, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { dataDir as preparedFolder } from '@electric-sql/pglite-prepopulatedfs';
import { listFolder, sync, syncTree } from '../../../pipeline/base/disk/atomic-files.js';
import type { ClosableSession } from './session.js';

const START = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'] };
/**
 * Delays V8's optimizing compilation of PGlite, which took two thirds of the startup time. The unit is bytes of
 * executed code.
 */
setFlagsFromString('--wasm-tiering-budget=180000000');

/** File mode: only the owner can read the files, because they contain unencrypted webhook secrets. */
const OWNER_ONLY = 0o700;

/** Matches statements that need no fsync: reads, and changes of unfinished sign-ins, which a power failure may undo. */
const NEEDS_NO_SYNC = /^(?:\s|--.*\n)*(?:select|show|explain)\b|\b(?:sign_in_challenges|oidc_visits)\b/i;

/**
 * Opens PGlite in a folder. The caller must hold the store's lock. PGlite never calls fsync, so this code syncs the
 * write-ahead log after each change.
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

/**
 * Creates the folder of a new store. It has a temporary name until it is complete, so that a crash leaves no incomplete
 * store.
 */
async function makeFolder(folder: string): Promise<void> {
  const making = `${folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true, mode: OWNER_ONLY });
  try {
    const database = await PGlite.create(making, { ...START, loadDataDir: await preparedFolder() });
    await database.close();
  } catch (error) {
    await rm(making, { recursive: true, force: true }); // a full disk needs the space
    throw error;
  }
  syncTree(making);
  await rename(making, folder);
  sync(dirname(folder));
}
