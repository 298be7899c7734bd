/** Publishes a folder of tables: manifest, name, CURRENT. Each step is whole or not at all, so a kill between two loses nothing. */
import { existsSync, linkSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFile } from '../../schemas/types.generated.js';
import { damagedDeltaFile, writeDeltaLogs } from '../delta/delta-logs.js';
import { fileSha256, finishFolder, listFolder, removeFolder, replaceFile, unfinished } from '../disk/atomic-files.js';
import {
  currentFile,
  currentGeneration,
  generationDir,
  generationsDir,
  isGenerationId,
  lastOf,
  manifestFile,
  readableGenerations,
  type SealedGeneration,
  sealedAt,
  walletIndexDir,
} from './generation.js';

/** Generations kept, the one in force among them: readers of an old one finish in peace, and a bad night can be undone. */
const KEPT_GENERATIONS = 3;

/** The outcome of sealing. */
export interface Sealed {
  /** False when this very generation was there already. */
  readonly isNew: boolean;
  /** Path of a file of it that was not as the manifest says. */
  readonly damaged?: string;
}

/**
 * Gives a folder of tables its manifest and its name. Where this very generation is there already the folder is removed, unless that
 * one is damaged: then the folder takes its place.
 */
export async function sealGeneration(dataDir: string, folder: string, manifest: Manifest): Promise<Sealed> {
  const target = generationDir(dataDir, manifest.generation);
  const isNew = !existsSync(target);
  const damaged = isNew ? undefined : await damagedFile(target, manifest);
  if (!isNew && damaged === undefined) {
    rmSync(folder, { recursive: true });
    return { isNew };
  }
  const readable = readableGenerations(dataDir);
  await shareUnchangedFiles(lastOf(readable, dataDir), folder, manifest);
  await writeDeltaLogs({ folder, manifest }, earlierThan(readable, target));
  writeManifest(folder, manifest, readable);
  removeFolder(target);
  finishFolder(folder, target);
  return { isNew, ...(damaged !== undefined && { damaged }) };
}

/** Writes the manifest. Its time tells which generation is the latest, also where the clock was set back since the one before. */
function writeManifest(folder: string, manifest: Manifest, [last]: readonly SealedGeneration[]): void {
  writeFileSync(manifestFile(folder), manifestText(manifest));
  if (last === undefined || sealedAt(folder) > sealedAt(last.folder)) return;
  const seconds = (sealedAt(last.folder) + 1) / 1000;
  utimesSync(manifestFile(folder), seconds, seconds);
}

/** Generations that are kept beside a new one, the oldest first. */
const earlierThan = (readable: readonly SealedGeneration[], target: string): SealedGeneration[] =>
  readable
    .filter(({ folder }) => folder !== target)
    .slice(0, KEPT_GENERATIONS - 1)
    .reverse();

const manifestText = (manifest: Manifest) => `${JSON.stringify(manifest, null, 1)}\n`;

const filesOf = ({ tables }: Manifest): ManifestFile[] => tables.flatMap(({ files }) => files);

/** Finds a file of a generation that is missing or is not as its manifest says, the manifest itself included. */
async function damagedFile(folder: string, manifest: Manifest): Promise<string | undefined> {
  const file = manifestFile(folder);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== manifestText(manifest)) return file;
  for (const { path, sha256 } of filesOf(manifest)) {
    if (!(await hasHash(join(folder, path), sha256))) return join(folder, path);
  }
  return damagedDeltaFile(folder, manifest);
}

/** The bytes on disk decide, not those once written. A file that cannot be read has no hash. */
const hasHash = async (file: string, sha256: string): Promise<boolean> =>
  existsSync(file) && (await fileSha256(file).catch(() => '')) === sha256;

/** A past month's file is the same as in the last generation that can be read: it becomes a second name of that file. */
async function shareUnchangedFiles(
  previous: SealedGeneration | undefined,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  if (previous === undefined) return;
  const known = new Map(filesOf(previous.manifest).map((file) => [file.path, file.sha256]));
  for (const { path, sha256 } of filesOf(manifest)) {
    if (known.get(path) !== sha256) continue;
    const old = join(previous.folder, path);
    if (await hasHash(old, sha256)) share(old, join(folder, path)); // a damaged file is not handed on
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

/** Removes all but the newest generations, with their wallet indexes, and those without a manifest. The one in force is always kept. */
export function removeOldGenerations(dataDir: string): void {
  const current = currentGeneration(dataDir);
  const timeOf = (generation: string) => sealedAt(generationDir(dataDir, generation));
  const others = listFolder(generationsDir(dataDir))
    .filter((name) => isGenerationId(name) && name !== current)
    .sort((a, b) => timeOf(b) - timeOf(a));
  const removed = others.filter((generation, i) => i >= KEPT_GENERATIONS - 1 || timeOf(generation) === 0);
  for (const generation of removed) {
    rmSync(walletIndexDir(dataDir, generation), { recursive: true, force: true });
    rmSync(generationDir(dataDir, generation), { recursive: true, force: true });
  }
}
