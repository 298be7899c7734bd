/** PGlite on a folder, in the thread that opens it. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { dataDir as preparedFolder } from '@electric-sql/pglite-prepopulatedfs';
import type { ClosableSession } from './session.js';

/** PostgreSQL's own 128 MiB of buffers are memory that is taken and never given back; what people give is a few megabytes. */
const START = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'] };

/**
 * Opens a folder, and makes it when there is none. This process holds the lock of the store: a half-made one beside it is a dead one's.
 * @throws Error of PGlite
 */
export async function openFolder(folder: string): Promise<ClosableSession> {
  if (!existsSync(folder)) await makeFolder(folder);
  const database = await PGlite.create(folder, START);
  return {
    run: async (sql, values) => (await database.query<Record<string, unknown>>(sql, [...values])).rows,
    async script(sql) {
      await database.exec(sql);
    },
    close: () => database.close(),
  };
}

/** Makes an empty database, unpacked beside its place and moved there in one step: a process that dies leaves none half made. */
async function makeFolder(folder: string): Promise<void> {
  const making = `${folder}.new`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const database = await PGlite.create(making, { ...START, loadDataDir: await preparedFolder() });
  await database.close();
  await rename(making, folder);
}
