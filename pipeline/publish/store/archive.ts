/**
 * The archive is a list of data folder files that nightly runs store in addition to pieces: raw blocks, prices,
 * holdings, blocks of single wallets and their states at edges. A run on an empty machine fetches these files. It then needs no old blocks
 * from nodes, and loses no prices.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../base/config-error.js';
import {
  fileSha256,
  finishFolder,
  listFolder,
  listTree,
  makeFolder,
  replaceFile,
  sync,
  unfinished,
} from '../../base/disk/atomic-files.js';
import { listRanges } from '../../chain/raw-files.js';
import { isUnusable, mapAll, type StoredFile } from './content-store.js';
import type { DatasetStore } from './dataset-store.js';

/** By top folder: how many leading folders of a path form a unit. A unit is fetched as a whole or not at all. */
const UNIT_DEPTH: Readonly<Record<string, number>> = {
  raw: 3,
  prices: 3,
  holdings: 2,
  'own-wallets': 2,
  'edge-states': 3,
};

/** Matches temporary, damaged and replaced files, and files about this machine. These are not archived. */
const LEFT_OUT = /(^|\/)\.|\.(tmp|damaged|replaced)$|(^|\/)compared\.txt$/;

const hashesFile = (dataDir: string) => join(dataDir, 'archive-hashes.json');

interface KnownFile extends StoredFile {
  readonly mtimeMs: number;
}

/**
 * Lists the files of the data folder that belong to the archive. Hashes only files that have changed since the last
 * call.
 */
export async function listArchive(dataDir: string): Promise<StoredFile[]> {
  const known = readKnown(dataDir);
  const files: KnownFile[] = [];
  for (const folder of Object.keys(UNIT_DEPTH)) {
    if (!existsSync(join(dataDir, folder))) continue;
    for (const name of listTree(join(dataDir, folder))) {
      const path = `${folder}/${name}`;
      if (LEFT_OUT.test(path)) continue;
      const { size: bytes, mtimeMs } = statSync(join(dataDir, path));
      const before = known.get(path);
      const isSame = before?.bytes === bytes && before.mtimeMs === mtimeMs;
      files.push({ path, bytes, mtimeMs, sha256: isSame ? before.sha256 : await fileSha256(join(dataDir, path)) });
    }
  }
  replaceFile(hashesFile(dataDir), JSON.stringify(files));
  return files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
}

function readKnown(dataDir: string): ReadonlyMap<string, KnownFile> {
  try {
    const files: KnownFile[] = JSON.parse(readFileSync(hashesFile(dataDir), 'utf8'));
    return new Map(files.map((file) => [file.path, file]));
  } catch {
    return new Map();
  }
}

interface FetchOptions {
  readonly say: (text: string) => void;
  /** If true, damaged prices are fetched from markets again. */
  readonly allowLoss: boolean;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Fetches what the data folder lacks. Leaves out what is damaged: the run then gets blocks from the node, and makes the
 * rest again.
 * @throws ConfigError if prices are damaged, because markets may report other prices now, or if a file does not belong
 * to an archive
 */
export async function fetchArchive(
  store: DatasetStore,
  files: readonly StoredFile[],
  dataDir: string,
  { say, allowLoss, onProgress }: FetchOptions,
): Promise<void> {
  const units = new Map<string, StoredFile[]>();
  for (const file of files) {
    const names = file.path.split('/');
    const depth = Object.hasOwn(UNIT_DEPTH, names[0]!) ? UNIT_DEPTH[names[0]!]! : Number.POSITIVE_INFINITY;
    if (names.length < depth)
      throw new ConfigError(`archive.json in ${store.objects.url} names ${file.path}, which no nightly run archives`);
    const unit = names.slice(0, depth).join('/');
    units.set(unit, [...(units.get(unit) ?? []), file]);
  }
  const missing: (readonly [string, StoredFile[]])[] = [];
  for (const [unit, members] of units) {
    if (unit.startsWith('prices/') && (await hasOtherPrices(join(dataDir, unit), members)))
      movePrices(join(dataDir, unit), units);
    if (unit.startsWith('raw/') ? !hasBlocks(join(dataDir, unit)) : !existsSync(join(dataDir, unit)))
      missing.push([unit, members]);
  }
  let done = 0;
  await mapAll(missing, async ([unit, members]) => {
    await fetchUnit(store, join(dataDir, unit), unit, members).catch((error) => {
      if (!isUnusable(error)) throw error;
      if (unit.startsWith('prices/') && !allowLoss)
        throw new ConfigError(
          `${error.message}. It belongs to ${unit}: run nightly where the data folder has it, or use --allow-loss to fetch other prices`,
        );
      say(`${error.message}. It belongs to ${unit}, which this run gets anew`);
    });
    onProgress(++done, missing.length);
  });
}

async function fetchUnit(
  store: DatasetStore,
  target: string,
  unit: string,
  members: readonly StoredFile[],
): Promise<void> {
  makeFolder(dirname(target));
  const making = unfinished(target);
  try {
    for (const { path, sha256 } of members) await store.getObject(sha256, `${making}${path.slice(unit.length)}`);
    if (statSync(making).isDirectory()) finishFolder(making, target);
    else {
      sync(making);
      renameSync(making, target);
      sync(dirname(target));
    }
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Returns true if local files already contain all blocks of this file. */
function hasBlocks(file: string): boolean {
  const [, from, to] = /(\d+)-(\d+)\.parquet$/.exec(file) ?? [];
  return listRanges(dirname(file)).some((range) => range.from <= Number(from) && Number(to) <= range.to);
}

/** Returns true if the local folder with this number has other quotes than the archived folder. */
async function hasOtherPrices(folder: string, members: readonly StoredFile[]): Promise<boolean> {
  if (!existsSync(folder)) return false;
  for (const { path, sha256 } of members) {
    const file = join(dirname(dirname(dirname(folder))), path);
    if (!existsSync(file) || (await fileSha256(file)) !== sha256) return true;
  }
  return false;
}

/** Renames a local folder of quotes to a higher number, because published quotes take precedence. */
function movePrices(folder: string, units: ReadonlyMap<string, unknown>): void {
  const parent = dirname(folder);
  const unit = (name: string) => `prices/${parent.split('/').at(-1)}/${name}`;
  const isFree = (name: string) => !existsSync(join(parent, name)) && !units.has(unit(name));
  let number = Math.max(...listFolder(parent).map(Number).filter(Number.isInteger));
  let name: string;
  do name = String(++number).padStart(6, '0');
  while (!isFree(name));
  renameSync(folder, join(parent, name));
}
