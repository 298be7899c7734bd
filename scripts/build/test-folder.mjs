/**
 * The folder of one run of the tests. Their temporary files lie in memory where there is room: a store alone brings a thousand files
 * to disk before it answers, and a slow disk would decide how long tests take.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes that must be free for files in memory; a run has used a tenth of them at once. */
const FREE_MIN_BYTES = 6e9;
const IN_MEMORY = '/dev/shm';

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= FREE_MIN_BYTES;
  } catch {
    return false; // this system has no files in memory
  }
}

/** Makes the folder, in which servers of other users find what is theirs. @returns its path, and a function that removes it */
export function makeTestFolder() {
  const before = tmpdir();
  // Paths of sockets have room for a hundred characters.
  const folder = mkdtempSync(join(hasRoom() ? IN_MEMORY : before, 'hl-'));
  const temporary = join(folder, 't');
  mkdirSync(temporary);
  for (const path of [folder, temporary]) chmodSync(path, 0o755);
  process.env.TMPDIR = temporary;
  return {
    folder,
    async remove() {
      process.env.TMPDIR = before;
      const names = readdirSync(temporary).filter((name) => name.startsWith('hubledger-screenshots-'));
      for (const name of names) cpSync(join(temporary, name), join(before, name), { recursive: true });
      // A program may still write while it ends: unlike the synchronous call, this one lists a folder anew at each try.
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
