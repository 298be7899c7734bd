/** One process at a time for what bears only one: a night, the embedded store. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config-error.js';
import { isAlive, startOf } from './process.js';

/** The process that holds the lock, or undefined when it is dead (or the file is gone by now). */
function holder(file: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const [id, start] = text.trim().split(' ');
  const processId = Number(id);
  return isAlive(processId) && startOf(processId) === (start ?? '') ? processId : undefined;
}

/**
 * Takes the lock <dataDir>/<name>.lock, from a dead process too.
 * @param taken what to say when a living process holds it
 * @returns what releases it
 * @throws ConfigError when a living process holds it
 */
export function takeLock(dataDir: string, name: string, taken: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, `${name}.lock`);
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${startOf(process.pid)}`.trim());
  try {
    for (;;) {
      try {
        linkSync(own, file); // appears with its content or not at all
        return () => rmSync(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const processId = holder(file);
      if (processId !== undefined) throw new ConfigError(`${taken}: process ${processId} (${file})`);
      takeAway(file);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves a dead process's lock away; of several that try, one succeeds, and a lock taken meanwhile is put back. */
function takeAway(file: string): void {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (holder(aside) !== undefined) linkSync(aside, file);
  rmSync(aside);
}
