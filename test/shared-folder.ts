/** Folders that several test files begin with: each is made once in a run of the tests, and copied for whoever asks. */
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives a copy of the folder that `make` fills.
 * @param name tells what the folder is made of: one name stands for one content in a run
 * @param make fills a folder that is not there yet
 * @returns what `make` returned, as JSON has it
 */
export async function sharedFolder<Outcome>(
  name: string,
  folder: string,
  make: (folder: string) => Promise<Outcome>,
): Promise<Outcome> {
  const run = process.env.TEST_RUN_FOLDER;
  if (run === undefined) return make(folder); // a file that runs by itself
  const [made, outcome] = [join(run, name), 'outcome.json'];
  if (!existsSync(made)) {
    const making = `${made}-${randomBytes(4).toString('hex')}`;
    writeFileSync(join(making, outcome), JSON.stringify(await make(making)));
    try {
      renameSync(making, made);
    } catch (error) {
      if (!existsSync(made)) throw error;
      rmSync(making, { recursive: true }); // another process was quicker
    }
  }
  cpSync(made, folder, { recursive: true, preserveTimestamps: true });
  rmSync(join(folder, outcome));
  return JSON.parse(readFileSync(join(made, outcome), 'utf8'));
}
