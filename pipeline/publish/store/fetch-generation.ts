import { copyFileSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { fileSha256, finishFolder, removeFolder, unfinished } from '../../base/disk/atomic-files.js';
import { generationDir, manifestFile, readableGenerations } from '../generation.js';
import { type Current, type DatasetStore, mapAll } from './dataset-store.js';

/**
 * Brings a generation of the store into a data folder. Links files that a local generation has.
 * @returns the generation's folder
 * @throws ConfigError if an object is missing or damaged
 */
export async function fetchGeneration(
  store: DatasetStore,
  current: Current,
  dataDir: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<string> {
  const { generation } = current;
  const text = await store.readManifest(current);
  const files = await store.readFiles(generation);
  expectSame(JSON.parse(text), new Map(files.map(({ path, sha256 }) => [path, sha256])));
  const target = generationDir(dataDir, generation);
  const making = unfinished(target);
  const local = localFiles(dataDir);
  let done = 0;
  try {
    mkdirSync(making, { recursive: true });
    await mapAll(files, async ({ path, sha256 }) => {
      const to = join(making, path);
      mkdirSync(dirname(to), { recursive: true });
      const from = local.get(sha256);
      if (from !== undefined && (await fileSha256(from).catch(() => '')) === sha256) linkOrCopy(from, to);
      else await store.getObject(sha256, to);
      onProgress(++done, files.length);
    });
    writeFileSync(manifestFile(making), text);
    removeFolder(target);
    finishFolder(making, target);
    return target;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** @throws ConfigError if the list of files lacks a file of the manifest */
function expectSame({ generation, tables }: Manifest, listed: ReadonlyMap<string, string>): void {
  const other = tables.flatMap(({ files }) => files).find(({ path, sha256 }) => listed.get(path) !== sha256);
  if (other) throw new ConfigError(`the list of files of ${generation} lacks ${other.path}`);
}

/** Returns the files of local generations by their hashes. */
function localFiles(dataDir: string): ReadonlyMap<string, string> {
  const files = readableGenerations(dataDir).flatMap(({ folder, manifest }) =>
    manifest.tables.flatMap((table) => table.files.map(({ path, sha256 }) => [sha256, join(folder, path)] as const)),
  );
  return new Map(files);
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // the file system has no hard links
  }
}
