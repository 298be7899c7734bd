/** Publishes a folder of tables: manifest, name, CURRENT. Each step is whole or not at all, so a kill between two loses nothing. */
import { createHash } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFile } from '../../schemas/types.generated.js';
import { fileSha256, finishFolder, listFolder, replaceFile, unfinished } from '../disk/atomic-files.js';
import {
  currentFile,
  currentGeneration,
  generationDir,
  generationsDir,
  manifestFile,
  readManifest,
  walletIndexDir,
} from './generation.js';

/** Generations kept, the one in force among them: readers of an old one finish in peace, and a bad night can be undone. */
const KEPT_GENERATIONS = 3;

/** Id of a generation: its height, and a hash of everything that the manifest says but the id. */
export function generationId(manifest: Omit<Manifest, 'generation'> | Manifest): string {
  const content = JSON.stringify({ ...manifest, generation: undefined });
  return `h${manifest.height}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}

/**
 * Gives a folder of tables its manifest and its name.
 * @returns false when this very generation is there already; the folder is removed then
 */
export async function sealGeneration(dataDir: string, folder: string, manifest: Manifest): Promise<boolean> {
  const target = generationDir(dataDir, manifest.generation);
  if (existsSync(target)) {
    rmSync(folder, { recursive: true });
    return false;
  }
  await shareUnchangedFiles(dataDir, folder, manifest);
  writeFileSync(manifestFile(folder), `${JSON.stringify(manifest, null, 1)}\n`);
  finishFolder(folder, target);
  return true;
}

/** A past month's file is the same as in the generation before: it becomes a second name of that file. */
async function shareUnchangedFiles(dataDir: string, folder: string, manifest: Manifest): Promise<void> {
  const previous = currentGeneration(dataDir);
  if (previous === undefined) return;
  const previousFolder = generationDir(dataDir, previous);
  const filesOf = (m: Manifest): ManifestFile[] => m.tables.flatMap(({ files }) => files);
  const known = new Map(filesOf(readManifest(previousFolder)).map((file) => [file.path, file.sha256]));
  for (const { path, sha256 } of filesOf(manifest)) {
    if (known.get(path) !== sha256) continue;
    const old = join(previousFolder, path);
    // The bytes on disk decide, not those once written: a damaged file is not handed on.
    if (existsSync(old) && (await fileSha256(old)) === sha256) share(old, join(folder, path));
  }
}

/** Makes `path` a second name of `file`. Where the file system knows no hard links, the copy stays. */
function share(file: string, path: string): void {
  const aside = unfinished(path);
  try {
    linkSync(file, aside);
  } catch {
    return;
  }
  renameSync(aside, path);
}

/** Puts a sealed generation in force. */
export function makeCurrent(dataDir: string, generation: string): void {
  if (currentGeneration(dataDir) !== generation) replaceFile(currentFile(dataDir), `${generation}\n`);
}

/** Removes all but the newest generations, with their wallet indexes. The one in force is always kept. */
export function removeOldGenerations(dataDir: string): void {
  const current = currentGeneration(dataDir);
  const sealedAt = (generation: string) => statSync(manifestFile(generationDir(dataDir, generation))).mtimeMs;
  const others = listFolder(generationsDir(dataDir))
    .filter((name) => name !== current && existsSync(manifestFile(generationDir(dataDir, name))))
    .sort((a, b) => sealedAt(b) - sealedAt(a));
  for (const generation of others.slice(KEPT_GENERATIONS - 1)) {
    rmSync(walletIndexDir(dataDir, generation), { recursive: true, force: true });
    rmSync(generationDir(dataDir, generation), { recursive: true, force: true });
  }
}
