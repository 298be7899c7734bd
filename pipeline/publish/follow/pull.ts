/**
 * Copies the upstream's current generation into a data folder. Creates hard links for files that a local generation
 * already has. CURRENT changes last, after all files have been checked and the wallet index can be read.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import {
  fileSha256,
  finishFolder,
  linkOrCopy,
  listFolder,
  makeFolder,
  removeFolder,
} from '../../base/disk/atomic-files.js';
import { harmless, quoted } from '../../base/json/quoted.js';
import type { Reference } from '../../reference.js';
import { hashOfName } from '../delta/delta-logs.js';
import {
  currentGeneration,
  damagedGenerationFile,
  dateAfter,
  generationDir,
  generationsDir,
  isGenerationFile,
  makeCurrent,
  manifestFile,
  readableGenerations,
  removeOldGenerations,
  sealedFiles,
  walletIndexDir,
  walletIndexesDir,
} from '../generation.js';
import { isSignedBy, readSignature, writeSignature } from '../signature.js';
import { mapAll } from '../store/content-store.js';
import { layerFolders, openWalletIndex } from '../wallet-index/open-index.js';
import { isIndexSound } from '../wallet-index-key.js';
import type { ReceivedManifest, ReceiveOptions } from './receive-manifest.js';
import type { RemoteFile, Upstream } from './upstream.js';

export interface PullProgress {
  /** Called with the number of fetched bytes and the total. */
  update(done: number, total: number): void;
  begin(step: 'wallet index'): void;
}

export interface PullOptions extends ReceiveOptions {
  readonly cacheBytes: number;
  readonly progress: PullProgress;
}

/** Folder of a partly fetched generation. A later pull reuses its files. */
const PULLING = '.pulling';
/** Number of parallel downloads. */
const TRANSFERS = 4;
/**
 * Number of generations that remain after a pull: the new one, and the previous one, which running requests may still
 * read.
 */
const KEPT_GENERATIONS = 2;
const KEYS_READ = 100;

/**
 * Fetches a generation as far as it is missing, and makes it current.
 * @throws GoneError if the upstream has removed the generation
 */
export async function pullGeneration(
  upstream: Upstream,
  received: ReceivedManifest,
  options: PullOptions,
): Promise<void> {
  const { dataDir, reference } = options;
  const { manifest, text, signature } = received;
  const { generation } = manifest;
  const folder = generationDir(dataDir, generation);
  if ((await damagedGenerationFile(folder, manifest, text)) !== undefined) {
    await fetchGeneration(upstream, received, options);
  } else if (signature !== undefined) writeSignature(folder, signature);
  options.progress.begin('wallet index');
  await prepareIndex(dataDir, generation, reference);
  makeCurrent(dataDir, generation);
  removeOldGenerations(dataDir, KEPT_GENERATIONS);
  const { removeUnusedBaseLayers } = await import('../place-wallet-index.js');
  await removeUnusedBaseLayers(dataDir);
}

/** Returns true if a generation is current in a data folder, and signed as required. */
export function isTaken(dataDir: string, generation: string, followKeys: readonly string[] | undefined): boolean {
  const folder = generationDir(dataDir, generation);
  if (generation !== currentGeneration(dataDir) || !existsSync(manifestFile(folder))) return false;
  if (followKeys === undefined) return true;
  return isSignedBy(followKeys, readFileSync(manifestFile(folder), 'utf8'), readSignature(folder));
}

/** Builds the wallet index of a generation if it is missing or damaged, and reads some keys as a check. */
export async function prepareIndex(dataDir: string, generation: string, reference: Reference): Promise<void> {
  if (!(await isIndexSound(dataDir, generation, reference))) {
    const { ensureWalletIndex } = await import('../place-wallet-index.js');
    await ensureWalletIndex(dataDir, generation, reference);
  }
  for (const layer of layerFolders(walletIndexDir(dataDir, generation))) {
    const index = openWalletIndex(layer);
    try {
      for (const key of index.getKeys({ limit: KEYS_READ })) index.getBinary(key);
    } finally {
      await index.close();
    }
  }
}

/**
 * Fetches a generation into the data folder without making it current.
 * @throws ConfigError if its files need more than `cacheBytes`
 */
export async function fetchGeneration(
  upstream: Upstream,
  { manifest, text, signature }: ReceivedManifest,
  { dataDir, say, progress, cacheBytes }: Pick<PullOptions, 'dataDir' | 'say' | 'progress' | 'cacheBytes'>,
): Promise<void> {
  const { generation } = manifest;
  const folder = join(generationsDir(dataDir), PULLING);
  makeFolder(folder);
  const listed: RemoteFile[] = sealedFiles(manifest);
  bytesOf(listed, manifest, upstream, cacheBytes);
  const others = await upstream.others(manifest);
  const files = [...listed, ...others.files];
  const total = bytesOf(files, manifest, upstream, cacheBytes);
  removeOthers(folder, files);
  makeRoom(dataDir, total, cacheBytes, say);
  const local = localFiles(dataDir);
  let done = 0;
  const bring = async (file: RemoteFile) => {
    const to = join(folder, file.path);
    mkdirSync(dirname(to), { recursive: true });
    const isHere =
      (existsSync(to) && (await hasHash(to, file))) || (await linkFrom(local.get(prefixOf(file)), file, to));
    if (!isHere) await upstream.file(generation, file, to);
    done += file.bytes;
    progress.update(done, total);
  };
  await mapAll(files, bring, TRANSFERS);
  for (const [path, content] of others.texts) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  writeFileSync(manifestFile(folder), text);
  if (signature !== undefined) writeSignature(folder, signature);
  const [newest] = readableGenerations(dataDir).filter((one) => one.manifest.generation !== generation);
  if (newest) dateAfter(folder, newest);
  removeFolder(generationDir(dataDir, generation));
  finishFolder(folder, generationDir(dataDir, generation));
}

/**
 * Returns the number of bytes of files. Checks their paths and sizes, so that a faulty upstream cannot make this program
 * write outside the generation's folder or fill the disk.
 */
function bytesOf(
  files: readonly RemoteFile[],
  { generation }: Manifest,
  { url }: Upstream,
  cacheBytes: number,
): number {
  let total = 0;
  for (const { path, bytes } of files) {
    if (!isGenerationFile(path) || !Number.isSafeInteger(bytes) || bytes < 0) {
      const shown = harmless(quoted(path)).slice(1, -1);
      throw new ConfigError(`${url}: ${generation} names a file that no generation has: ${shown}`);
    }
    total += bytes;
  }
  if (total <= cacheBytes) return total;
  const needed = `${generation} has ${gigabytes(total)} GB of files, more than HUBLEDGER_CACHE_BYTES`;
  throw new ConfigError(`${url}: ${needed}: raise it, or check the URL`);
}

const gigabytes = (bytes: number): string => Math.ceil(bytes / 1e9).toLocaleString('en');

const prefixOf = ({ sha256 }: RemoteFile): string => hashOfName(sha256);

const hasHash = async (file: string, { sha256 }: RemoteFile): Promise<boolean> =>
  (await fileSha256(file).catch(() => '')).startsWith(sha256);

/** Maps the first digits of a hash to the local file with this hash, for all files of local generations. */
function localFiles(dataDir: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { folder, manifest } of readableGenerations(dataDir)) {
    for (const file of sealedFiles(manifest)) found.set(prefixOf(file), join(folder, file.path));
    for (const { name } of manifest.tables) {
      const earlier = join(folder, name, '_earlier');
      for (const file of listFolder(earlier)) found.set(hashOfName(file), join(earlier, file));
    }
  }
  return found;
}

async function linkFrom(from: string | undefined, file: RemoteFile, to: string): Promise<boolean> {
  if (from === undefined || !(await hasHash(from, file))) return false;
  rmSync(to, { force: true });
  linkOrCopy(from, to);
  return true;
}

/** Removes files that do not belong to this generation, for example files of an interrupted pull. */
function removeOthers(folder: string, files: readonly RemoteFile[]): void {
  const expected = new Set(files.flatMap((file) => [file.path, `${file.path}.${prefixOf(file)}.part`]));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (!expected.has(path.slice(folder.length + 1))) rmSync(path);
  }
}

/** Removes the previous generation if the local copy would otherwise exceed its maximum size. */
function makeRoom(dataDir: string, bytes: number, bound: number, say: (text: string) => void): void {
  const folders = () => [generationsDir(dataDir), walletIndexesDir(dataDir)];
  if (bytesOnDisk(folders()) + bytes <= bound) return;
  removeOldGenerations(dataDir, 1);
  const left = bytesOnDisk(folders());
  if (left + bytes <= bound) return;
  say(`the local copy needs up to ${gigabytes(left + bytes)} GB, more than HUBLEDGER_CACHE_BYTES: raise it`);
}

/** Sums the sizes of files. A file with several hard links counts once. */
function bytesOnDisk(folders: readonly string[]): number {
  const sizes = new Map<number, number>();
  for (const folder of folders.filter((path) => existsSync(path))) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const facts = entry.isFile() && statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      if (facts) sizes.set(facts.ino, facts.size);
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
