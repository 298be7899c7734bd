/**
 * Copies the upstream's current generation into a data folder. Creates hard links for files that a local generation
 * already has. CURRENT changes last, after all files have been checked and the wallet index can be read.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
import type { Reference } from '../../reference.js';
import { otherVersions } from '../../reports/versions.js';
import { hashOfName } from '../delta/delta-logs.js';
import {
  damagedGenerationFile,
  dateAfter,
  expectUsable,
  generationDir,
  generationsDir,
  isGenerationFile,
  makeCurrent,
  manifestFile,
  parseManifest,
  readableCurrent,
  readableGenerations,
  removeOldGenerations,
  walletIndexDir,
  walletIndexesDir,
} from '../generation.js';
import { mapAll } from '../store/dataset-store.js';
import { untilRight, WrongBytesError } from '../store/object-store.js';
import { layerFolders, openWalletIndex } from '../wallet-index/open-index.js';
import { isIndexSound } from '../wallet-index-key.js';
import type { RemoteFile, Upstream } from './upstream.js';

export interface PullProgress {
  /** Called with the number of fetched bytes and the total. */
  update(done: number, total: number): void;
  begin(step: 'wallet index'): void;
}

export interface PullOptions {
  readonly dataDir: string;
  readonly reference: Reference;
  readonly cacheBytes: number;
  readonly say: (text: string) => void;
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
 * Fetches the manifest of the upstream's current generation, and checks that this version of the program can serve the
 * generation.
 */
export async function fetchManifest(
  upstream: Upstream,
  generation: string,
  { dataDir, reference, say }: PullOptions,
): Promise<{ readonly manifest: Manifest; readonly text: string }> {
  const place = `${upstream.url}: the manifest of ${generation}`;
  const { text, manifest } = await untilRight(async () => {
    const received = await upstream.manifest(generation);
    const parsed = parseManifest(received, (why) => new WrongBytesError(`${place} is damaged: ${why}`));
    if (parsed.generation !== generation) throw new WrongBytesError(`${place} belongs to ${parsed.generation}`);
    return { text: received, manifest: parsed };
  }, say);
  expectUsable(manifest, 'upgrade the older program');
  for (const { path } of manifest.tables.flatMap(({ files }) => files)) expectFile(path, generation);
  const current = readableCurrent(dataDir);
  if (manifest.chain_id !== reference.chain.chain_id)
    throw new ConfigError(`${upstream.url}: ${generation} is of ${manifest.chain_id}, not ${reference.chain.chain_id}`);
  const [own, theirs] = [current?.manifest.node_chain_id ?? manifest.node_chain_id, manifest.node_chain_id];
  if (own !== theirs) {
    const advice = 'check the URL, or use another HUBLEDGER_DATA_DIR';
    throw new ConfigError(`${upstream.url}: ${generation} is of ${theirs}, but ${dataDir} has ${own}: ${advice}`);
  }
  const others = otherVersions(manifest, reference);
  if (others.length > 0 && current && otherVersions(current.manifest, reference).length === 0) {
    throw new ConfigError(`${upstream.url}: ${generation} has ${others.join(', ')}: upgrade the older program`);
  }
  return { manifest, text };
}

/**
 * Fetches a generation as far as it is missing, and makes it current.
 * @throws GoneError if the upstream has removed the generation
 */
export async function pullGeneration(
  upstream: Upstream,
  { manifest, text }: { readonly manifest: Manifest; readonly text: string },
  options: PullOptions,
): Promise<void> {
  const { dataDir, reference } = options;
  const { generation } = manifest;
  const folder = generationDir(dataDir, generation);
  if ((await damagedGenerationFile(folder, manifest, text)) !== undefined) {
    await fetchGeneration(upstream, manifest, text, options);
  }
  options.progress.begin('wallet index');
  await prepareIndex(dataDir, generation, reference);
  makeCurrent(dataDir, generation);
  removeOldGenerations(dataDir, KEPT_GENERATIONS);
  const { removeUnusedBaseLayers } = await import('../place-wallet-index.js');
  await removeUnusedBaseLayers(dataDir);
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

/** Fetches a generation into the data folder without making it current. */
export async function fetchGeneration(
  upstream: Upstream,
  manifest: Manifest,
  text: string,
  { dataDir, say, progress, cacheBytes }: Omit<PullOptions, 'reference'>,
): Promise<void> {
  const { generation, tables } = manifest;
  const folder = join(generationsDir(dataDir), PULLING);
  makeFolder(folder);
  const others = await upstream.others(manifest);
  const files: RemoteFile[] = [...tables.flatMap((table) => table.files), ...others.files];
  for (const path of [...others.files.map((file) => file.path), ...others.texts.keys()]) expectFile(path, generation);
  removeOthers(folder, files);
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
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
  const [newest] = readableGenerations(dataDir).filter((one) => one.manifest.generation !== generation);
  if (newest) dateAfter(folder, newest);
  removeFolder(generationDir(dataDir, generation));
  finishFolder(folder, generationDir(dataDir, generation));
}

/** Checks a file's path, so that a faulty upstream cannot make this program write outside the generation's folder. */
function expectFile(path: string, generation: string): void {
  if (!isGenerationFile(path)) throw new ConfigError(`${generation} names a file that no generation has: ${path}`);
}

const prefixOf = ({ sha256 }: RemoteFile): string => hashOfName(sha256);

const hasHash = async (file: string, { sha256 }: RemoteFile): Promise<boolean> =>
  (await fileSha256(file).catch(() => '')).startsWith(sha256);

/** Maps the first digits of a hash to the local file with this hash, for all files of local generations. */
function localFiles(dataDir: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { folder, manifest } of readableGenerations(dataDir)) {
    for (const { name, files } of manifest.tables) {
      for (const file of files) found.set(prefixOf(file), join(folder, file.path));
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
  const own = new Set(files.flatMap((file) => [file.path, `${file.path}.${prefixOf(file)}.part`]));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (!own.has(path.slice(folder.length + 1))) rmSync(path);
  }
}

/** Removes the previous generation if the local copy would otherwise exceed its maximum size. */
function makeRoom(dataDir: string, bytes: number, bound: number, say: (text: string) => void): void {
  const folders = () => [generationsDir(dataDir), walletIndexesDir(dataDir)];
  if (bytesOnDisk(folders()) + bytes <= bound) return;
  removeOldGenerations(dataDir, 1);
  const left = bytesOnDisk(folders());
  if (left + bytes <= bound) return;
  const needed = Math.ceil((left + bytes) / 1e9);
  say(`the local copy needs up to ${needed} GB, more than HUBLEDGER_CACHE_BYTES: raise it`);
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
