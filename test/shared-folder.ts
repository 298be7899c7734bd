/** Makes a folder that several test files begin with once in a run of the tests, and copies it for each of them. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds to wait for another process that makes the folder. A process that was killed never ends. */
const WAIT_MAX_MS = 120_000;
const OUTCOME = 'outcome.json';

/** Returns once the folder exists or this process may make it. @returns whether this process makes it */
async function takeTurn(made: string, lock: string): Promise<boolean> {
  for (const end = Date.now() + WAIT_MAX_MS; !existsSync(made) && Date.now() < end; await wait(100)) {
    try {
      mkdirSync(lock);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return !existsSync(made);
}

/**
 * Copies the folder that `make` fills.
 * @param name identifies the content: one name has one content in a run
 * @param make fills a folder that does not exist yet
 * @returns the result of `make` after JSON
 */
export async function sharedFolder<Outcome>(
  name: string,
  folder: string,
  make: (folder: string) => Promise<Outcome>,
): Promise<Outcome> {
  const run = process.env.TEST_RUN_FOLDER;
  if (run === undefined) return make(folder); // a file that runs by itself
  const [made, lock] = [join(run, name), join(run, `${name}.lock`)];
  if (await takeTurn(made, lock)) {
    const making = `${made}-${process.pid}`;
    try {
      const outcome = await make(making);
      writeFileSync(join(making, OUTCOME), JSON.stringify(outcome));
      if (!existsSync(made)) renameSync(making, made);
    } finally {
      rmSync(making, { recursive: true, force: true });
      rmSync(lock, { recursive: true, force: true });
    }
  }
  cpSync(made, folder, { recursive: true, preserveTimestamps: true });
  rmSync(join(folder, OUTCOME));
  return JSON.parse(readFileSync(join(made, OUTCOME), 'utf8'));
}
