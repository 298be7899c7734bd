/** Scratch folders of commands that hold no lock, such as `verify`: each has a life sign in it, by which nights leave it alone. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFolder } from './atomic-files.js';
import { isAbandoned, lifeSignName, makeLifeSign } from './life-sign.js';

const PREFIX = '.unfinished-command-';

/**
 * Makes a folder for what is needed until a command ends: in `beside`, where a disk has room for a dataset, or among the system's
 * temporary files where this process may only read. Its life sign ends with the process, or once the folder is removed.
 */
export async function scratchFolder(beside: string, name: string): Promise<string> {
  const folder = join(beside, `${PREFIX}${randomBytes(4).toString('hex')}-${name}`);
  try {
    mkdirSync(folder);
  } catch {
    return mkdtempSync(join(tmpdir(), 'hubledger-'));
  }
  const place = join(folder, lifeSignName());
  const sign = await makeLifeSign(place).catch(() => undefined); // where no socket can be made, no night can run either
  sign?.renewAt(place);
  return folder;
}

/** Removes from a folder the scratch folders of commands that were killed. */
export async function removeDeadScratch(folder: string): Promise<void> {
  for (const name of listFolder(folder).filter((one) => one.startsWith(PREFIX))) {
    const scratch = join(folder, name);
    if (await isAbandoned(scratch, Date.now())) rmSync(scratch, { recursive: true, force: true });
  }
}
