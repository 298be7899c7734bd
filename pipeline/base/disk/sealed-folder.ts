/**
 * A sealed folder never changes. Its sums.json contains the size and SHA-256 of each file. Both are checked at every
 * use. Hashes of a large folder are checked only after a reboot or a change of the files, because hashing gigabytes
 * takes minutes. Its compared.txt records the last check.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileSha256, finishFolder, listFolder, replaceFile } from './atomic-files.js';
import { kernelId } from './life-sign.js';

export const SUMS_FILE = 'sums.json';
const COMPARED_FILE = 'compared.txt';
const BEGUN = 'begun';

/** Size and hash by path within the folder. */
export type Sums = Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;

const SMALL_BYTES = 1 << 20;

const bytesOf = (sums: Sums): number => Object.values(sums).reduce((sum, file) => sum + file.bytes, 0);

const isSmall = (sums: Sums): boolean => bytesOf(sums) <= SMALL_BYTES;

export async function sealFolder(from: string, to: string): Promise<void> {
  const sums: Record<string, Sums[string]> = {};
  for (const name of listFiles(from)) {
    const file = join(from, name);
    sums[name] = { bytes: statSync(file).size, sha256: await fileSha256(file) };
  }
  writeFileSync(join(from, SUMS_FILE), JSON.stringify(sums));
  finishFolder(from, to);
  if (!isSmall(sums)) writeCompared(to, stateOf(to, sums));
}

const listFiles = (folder: string): string[] =>
  listFolder(folder).flatMap((name) =>
    statSync(join(folder, name)).isDirectory()
      ? listFolder(join(folder, name)).map((file) => `${name}/${file}`)
      : [name],
  );

/** Returns the name of a damaged file; undefined if there is none. Mode `again` always checks the hashes. */
export async function damagedFile(
  folder: string,
  mode: 'when due' | 'again' = 'when due',
): Promise<string | undefined> {
  const sums = readSums(folder);
  const missized = missizedFile(folder);
  if (sums === undefined || missized !== undefined) return missized;
  if (isSmall(sums)) return differingFile(folder, sums);
  if (mode === 'when due' && wasCompared(folder)) return undefined;
  writeCompared(folder, BEGUN);
  for (const [name, { sha256 }] of Object.entries(sums)) {
    if ((await fileSha256(join(folder, name))) !== sha256) return name;
  }
  writeCompared(folder, stateOf(folder, sums));
  return undefined;
}

export function missizedFile(folder: string): string | undefined {
  const sums = readSums(folder);
  if (sums === undefined) return SUMS_FILE;
  return Object.keys(sums).find((name) => statOf(folder, name)?.size !== sums[name]!.bytes);
}

export const isSealed = (folder: string): boolean => statOf(folder, SUMS_FILE) !== undefined;

/** Returns true if the hashes were checked before. Checks those of a small folder now. */
export function wasCompared(folder: string): boolean {
  const sums = readSums(folder);
  if (sums === undefined) return false;
  if (isSmall(sums)) return differingFile(folder, sums) === undefined;
  return readText(join(folder, COMPARED_FILE)) === stateOf(folder, sums);
}

/** Hashes the files in this thread. @returns name of the first file with another hash */
const differingFile = (folder: string, sums: Sums): string | undefined =>
  Object.keys(sums).find((name) => hashOf(join(folder, name)) !== sums[name]!.sha256);

function hashOf(path: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return undefined; // The file is missing or unreadable.
  }
}

const QUICK_BYTES = 500_000_000;

/**
 * Returns true if hashes must be checked before the folder is used. This is the case if hashing is quick, or if the
 * last check was interrupted, because damaged data may have crashed the process.
 */
export function mustCompareFirst(folder: string): boolean {
  return bytesOf(readSums(folder) ?? {}) <= QUICK_BYTES || readText(join(folder, COMPARED_FILE)) === BEGUN;
}

export function removeSealed(folder: string, name: string): void {
  const { [name]: removed, ...kept } = readSums(folder) ?? {};
  if (removed) replaceFile(join(folder, SUMS_FILE), JSON.stringify(kept));
  rmSync(join(folder, name), { force: true });
}

export function readSums(folder: string): Sums | undefined {
  try {
    const sums: unknown = JSON.parse(readText(join(folder, SUMS_FILE)) ?? '');
    return typeof sums === 'object' && sums !== null ? (sums as Sums) : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const statOf = (folder: string, name: string): Stats | undefined =>
  statSync(join(folder, name), { throwIfNoEntry: false });

function stateOf(folder: string, sums: Sums): string {
  const hash = createHash('sha256').update(JSON.stringify(sums));
  for (const name of Object.keys(sums)) {
    const { ino, size, mtimeMs } = statOf(folder, name) ?? {};
    hash.update(`\n${name} ${ino} ${size} ${mtimeMs}`);
  }
  return `${kernelId()} ${hash.digest('hex')}`;
}

function writeCompared(folder: string, text: string): void {
  try {
    writeFileSync(join(folder, COMPARED_FILE), text);
  } catch {
    // The folder is read-only.
  }
}
