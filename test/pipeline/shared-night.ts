/** Nights that several test files begin with: each is made once in a run of the tests, and copied for whoever asks. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../pipeline/run-night.js';

/**
 * Gives a data folder with the night that `make` runs.
 * @param name tells what the night is made of: one name stands for one content in a run
 * @param make runs the night on an empty data folder
 */
export async function sharedNight(
  name: string,
  dataDir: string,
  make: (dataDir: string) => Promise<Outcome>,
): Promise<Outcome> {
  const run = process.env.TEST_RUN_FOLDER;
  if (run === undefined) return make(dataDir); // a file that runs by itself
  const [made, outcome] = [join(run, name), 'outcome.json'];
  if (!existsSync(made)) {
    const making = `${made}-${process.pid}`;
    writeFileSync(join(making, outcome), JSON.stringify(await make(making)));
    try {
      renameSync(making, made);
    } catch (error) {
      if (!existsSync(made)) throw error;
      rmSync(making, { recursive: true }); // another process was quicker
    }
  }
  cpSync(made, dataDir, { recursive: true, preserveTimestamps: true });
  rmSync(join(dataDir, outcome));
  return JSON.parse(readFileSync(join(made, outcome), 'utf8'));
}
