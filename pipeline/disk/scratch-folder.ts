import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFolder } from './atomic-files.js';
import { isAbandoned, lifeSignName, makeLifeSign } from './lock.js';

const PREFIX = '.unfinished-command-';

/**
 * Creates a temporary folder for a command without a lock, such as `verify`. A life sign protects it from cleanup. If
 * `beside` is read-only, it is in the system's temporary folder.
 */
export async function scratchFolder(beside: string, name: string): Promise<string> {
  const folder = join(beside, `${PREFIX}${randomBytes(4).toString('hex')}-${name}`);
  try {
    mkdirSync(folder);
  } catch {
    return mkdtempSync(join(tmpdir(), 'hubledger-'));
  }
  const place = join(folder, lifeSignName());
  const sign = await makeLifeSign(place).catch(() => undefined); // without sockets no nightly run is possible either
  sign?.renewAt(place);
  return folder;
}

export async function removeDeadScratch(folder: string): Promise<void> {
  for (const name of listFolder(folder).filter((one) => one.startsWith(PREFIX))) {
    const scratch = join(folder, name);
    if (await isAbandoned(scratch, Date.now())) rmSync(scratch, { recursive: true, force: true });
  }
}
