/** Damage: what a full disk, a copy that broke off, a bad sector or a wrong command does to a file. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  cut: (file) => writeFileSync(file, readFileSync(file).subarray(0, statSync(file).size >> 1)),
  emptied: (file) => writeFileSync(file, ''),
  flipped(file) {
    const bytes = readFileSync(file);
    if (bytes.length > 0) bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(file, bytes);
  },
  removed: (file) => rmSync(file),
};

/** Files on which nothing rests: locks, LMDB's list of readers, what hashes were compared last, and how the last night ended. */
const NO_DATA = /^locks\/|lock\.mdb$|compared\.txt$|^last-night\.json$/;

/** Paths of the files below a data folder, relative to it, in order. */
export const dataFiles = (dataDir: string): string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(dataDir, file)).isFile() && !NO_DATA.test(file))
    .sort();
