/**
 * The places of a published dataset: an immutable folder generations/<id>, the wallet index derived from it in stores/<id>, and the
 * file CURRENT that names the one in force.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../schemas/types.generated.js';
import { ConfigError } from '../config-error.js';
import { listFolder } from '../disk/atomic-files.js';
import { readSchema } from '../project.js';
import { otherVersions, SCHEMA_VERSION, type Versions } from '../reports/versions.js';

export const generationsDir = (dataDir: string) => join(dataDir, 'generations');
export const generationDir = (dataDir: string, generation: string) => join(generationsDir(dataDir), generation);
export const walletIndexesDir = (dataDir: string) => join(dataDir, 'stores');
export const walletIndexDir = (dataDir: string, generation: string) => join(walletIndexesDir(dataDir), generation);
export const currentFile = (dataDir: string) => join(dataDir, 'CURRENT');
export const manifestFile = (folder: string) => join(folder, 'manifest.json');

/** Tells names of generations from those of things in the making. */
export const isGenerationId = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name);

/** Id of the generation in force, or undefined when nothing is published yet, or CURRENT does not say what. */
export function currentGeneration(dataDir: string): string | undefined {
  try {
    const id = readFileSync(currentFile(dataDir), 'utf8').trim();
    return isGenerationId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The reason why CURRENT cannot be read, in the system's words, as that it is another user's; undefined where it can, or is not there. */
export function currentFault(dataDir: string): string | undefined {
  try {
    readFileSync(currentFile(dataDir));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return message;
  }
  return undefined;
}

/** Id of the generation in force. @throws ConfigError when nothing is published, or CURRENT cannot be read */
export function publishedGeneration(dataDir: string): string {
  const generation = currentGeneration(dataDir);
  if (generation !== undefined) return generation;
  const fault = currentFault(dataDir);
  if (fault === undefined) throw new ConfigError(`nothing is published in ${dataDir}`);
  throw new ConfigError(`${currentFile(dataDir)} cannot be read: ${fault}`);
}

/** Id of a generation: its height, and a hash of everything that the manifest says but the id. */
export function generationId(manifest: Omit<Manifest, 'generation'> | Manifest): string {
  const content = JSON.stringify({ ...manifest, generation: undefined });
  return `h${manifest.height}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}

/** Members that every manifest of this program's form has. */
const { required } = readSchema<{ readonly required: readonly string[] }>('manifest.json');

/**
 * Reads the manifest of a generation's folder.
 * @throws ConfigError when it is missing, is not as it was written, or has a form that this program does not read
 */
export function readManifest(folder: string): Manifest {
  const manifest = readAnyManifest(folder);
  const { generation, schema_version } = manifest;
  if (schema_version !== SCHEMA_VERSION) {
    throw new ConfigError(
      `${generation} has tables of form ${schema_version}; this program reads form ${SCHEMA_VERSION}: run a night`,
    );
  }
  const missing = required.find((member) => !(member in manifest));
  if (missing === undefined) return manifest;
  throw new ConfigError(`${generation} is of an earlier form, without ${missing}: run a night`);
}

/** Reads a manifest of any form. @throws ConfigError naming the file, when it is missing or is not as it was written */
export function readAnyManifest(folder: string): Manifest {
  const file = manifestFile(folder);
  const broken = (why: string) => new ConfigError(`${file} cannot be used, the next night makes it anew: ${why}`);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw broken((error as Error).message);
  }
  const id = generationId(manifest ?? {});
  if (id !== manifest?.generation) throw broken(`its content is that of ${id}`);
  return manifest;
}

/** A generation on disk. */
export interface SealedGeneration {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Milliseconds of the time at which a folder was sealed; 0 without a manifest. A later generation has a later one: see `sealGeneration`. */
export const sealedAt = (folder: string): number =>
  statSync(manifestFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The generations that can be read, the one sealed last first. */
export function readableGenerations(dataDir: string): SealedGeneration[] {
  const readable = listFolder(generationsDir(dataDir)).flatMap((id) => {
    const folder = generationDir(dataDir, id);
    try {
      return [{ folder, manifest: readManifest(folder) }];
    } catch {
      return [];
    }
  });
  return readable.sort((a, b) => sealedAt(b.folder) - sealedAt(a.folder));
}

/** The generation in force, or where that cannot be read the newest that can; undefined where there is none. */
export const lastGeneration = (dataDir: string): SealedGeneration | undefined =>
  lastOf(readableGenerations(dataDir), dataDir);

/** The same of generations that were read before. */
export function lastOf(readable: readonly SealedGeneration[], dataDir: string): SealedGeneration | undefined {
  const current = generationDir(dataDir, currentGeneration(dataDir) ?? '');
  return readable.find(({ folder }) => folder === current) ?? readable[0];
}

/** Tells whether a dataset is in force and needs no replay: its tables have the form, its rows the versions of this program. */
export function isUpToDate(dataDir: string, versions: Versions): boolean {
  const generation = currentGeneration(dataDir);
  const last = lastGeneration(dataDir);
  if (generation === undefined || last?.folder !== generationDir(dataDir, generation)) return false;
  return otherVersions(last.manifest, versions).length === 0;
}

/** Paths of a table's files, in the order of their months. */
export function tableFiles(folder: string, manifest: Pick<Manifest, 'tables'>, table: string): string[] {
  const found = manifest.tables.find(({ name }) => name === table);
  if (!found) throw new Error(`${folder} holds no table ${table}`);
  return found.files.map(({ path }) => join(folder, path));
}
