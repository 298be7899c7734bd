/**
 * Sealed folders: made whole, then never changed, with the size and SHA-256 of every file beside them. What a full disk, a copy that
 * broke off or a bad sector did to one is found before it is read. A hash of gigabytes takes minutes, so it is compared once after the
 * machine has started or a file was touched; sizes are compared every time.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileSha256, finishFolder, listFolder, replaceFile } from './atomic-files.js';
import { kernelId } from './life-sign.js';

/** Name of the file with the sizes and hashes of the others. */
const SUMS_FILE = 'sums.json';
/** Name of the file that says which bytes the hashes were compared with last. */
const COMPARED_FILE = 'compared.txt';
/** Its text while hashes are being compared. */
const BEGUN = 'begun';

type Sums = Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;

/** Seals a folder in the making and gives it its name, whole or not at all. */
export async function sealFolder(from: string, to: string): Promise<void> {
  const sums: Record<string, Sums[string]> = {};
  for (const name of listFolder(from)) {
    const file = join(from, name);
    sums[name] = { bytes: statSync(file).size, sha256: await fileSha256(file) };
  }
  writeFileSync(join(from, SUMS_FILE), JSON.stringify(sums));
  finishFolder(from, to);
  writeCompared(to, stateOf(to, sums));
}

/**
 * Finds damage: hashes are computed unless that was done since the machine has started.
 * @param mode `again`: computes them all the same
 * @returns the name of a file that is not as it was sealed, or of the seal that cannot be read; undefined when the folder is whole
 */
export async function damagedFile(
  folder: string,
  mode: 'when due' | 'again' = 'when due',
): Promise<string | undefined> {
  const sums = readSums(folder);
  const missized = missizedFile(folder);
  if (sums === undefined || missized !== undefined) return missized;
  if (mode === 'when due' && wasCompared(folder)) return undefined;
  writeCompared(folder, BEGUN);
  for (const [name, { sha256 }] of Object.entries(sums)) {
    if ((await fileSha256(join(folder, name))) !== sha256) return name;
  }
  writeCompared(folder, stateOf(folder, sums));
  return undefined;
}

/** Finds a file that is missing or of another size; as quick as a look at the folder. */
export function missizedFile(folder: string): string | undefined {
  const sums = readSums(folder);
  if (sums === undefined) return SUMS_FILE;
  return Object.keys(sums).find((name) => statOf(folder, name)?.size !== sums[name]!.bytes);
}

/** Tells whether a folder has a seal, sound or not. */
export const isSealed = (folder: string): boolean => statOf(folder, SUMS_FILE) !== undefined;

/** Tells whether the hashes of these very bytes were compared since the machine has started. */
export function wasCompared(folder: string): boolean {
  const sums = readSums(folder);
  return sums !== undefined && readText(join(folder, COMPARED_FILE)) === stateOf(folder, sums);
}

/** Tells whether a comparison of hashes was begun, and its process ended before it was over. */
export const wasInterrupted = (folder: string): boolean => readText(join(folder, COMPARED_FILE)) === BEGUN;

/** Sum of the sizes of a sealed folder's files. */
export const sealedBytes = (folder: string): number =>
  Object.values(readSums(folder) ?? {}).reduce((sum, { bytes }) => sum + bytes, 0);

/** Removes a file that is no longer needed from a sealed folder; the folder is whole without it. */
export function removeSealed(folder: string, name: string): void {
  const { [name]: removed, ...kept } = readSums(folder) ?? {};
  if (removed) replaceFile(join(folder, SUMS_FILE), JSON.stringify(kept));
  rmSync(join(folder, name), { force: true });
}

function readSums(folder: string): Sums | undefined {
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

/** Text by which a change of any file, or of the machine's start, is told. */
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
    // Where nothing can be written, hashes are compared each time.
  }
}
