/**
 * The places of a published dataset: an immutable folder generations/<id>, the wallet index derived from it in stores/<id>, and the
 * file CURRENT that names the one in force.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../schemas/types.generated.js';
import { otherVersions, SCHEMA_VERSION, type Versions } from '../reports/versions.js';

export const generationsDir = (dataDir: string) => join(dataDir, 'generations');
export const generationDir = (dataDir: string, generation: string) => join(generationsDir(dataDir), generation);
export const walletIndexesDir = (dataDir: string) => join(dataDir, 'stores');
export const walletIndexDir = (dataDir: string, generation: string) => join(walletIndexesDir(dataDir), generation);
export const currentFile = (dataDir: string) => join(dataDir, 'CURRENT');
export const manifestFile = (folder: string) => join(folder, 'manifest.json');

/** Id of the generation in force, or undefined when nothing is published yet. */
export function currentGeneration(dataDir: string): string | undefined {
  return existsSync(currentFile(dataDir)) ? readFileSync(currentFile(dataDir), 'utf8').trim() : undefined;
}

/** The manifest of a generation's folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(manifestFile(folder), 'utf8'));
}

/** Tells whether a dataset is in force and needs no replay: its tables have the form, its rows the versions of this program. */
export function isUpToDate(dataDir: string, versions: Versions): boolean {
  const generation = currentGeneration(dataDir);
  const folder = generationDir(dataDir, generation ?? '');
  if (generation === undefined || !existsSync(manifestFile(folder))) return false;
  const manifest = readManifest(folder);
  return manifest.schema_version === SCHEMA_VERSION && otherVersions(manifest, versions).length === 0;
}

/** Paths of a table's files, in the order of their months. */
export function tableFiles(folder: string, manifest: Pick<Manifest, 'tables'>, table: string): string[] {
  const found = manifest.tables.find(({ name }) => name === table);
  if (!found) throw new Error(`${folder} holds no table ${table}`);
  return found.files.map(({ path }) => join(folder, path));
}
