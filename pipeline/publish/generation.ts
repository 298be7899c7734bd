/**
 * A generation is a published dataset: an immutable folder generations/<id> with a wallet index in stores/<id>. The
 * file CURRENT contains the id of the current generation.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestFile, ManifestTable } from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { fileSha256, listFolder, replaceFile } from '../base/disk/atomic-files.js';
import { readSchema } from '../base/project.js';
import { otherVersions, SCHEMA_VERSION, type Versions } from '../books/reports/versions.js';
import { parseTime } from '../holdings/values/time.js';
import { damagedDeltaFile } from './delta/delta-logs.js';

export const generationsDir = (dataDir: string) => join(dataDir, 'generations');
export const generationDir = (dataDir: string, generation: string) => join(generationsDir(dataDir), generation);
export const walletIndexesDir = (dataDir: string) => join(dataDir, 'stores');
export const walletIndexDir = (dataDir: string, generation: string) => join(walletIndexesDir(dataDir), generation);
export const currentFile = (dataDir: string) => join(dataDir, 'CURRENT');
export const manifestFile = (folder: string) => join(folder, 'manifest.json');
/** DuckDB file with views of the tables. */
export const CATALOG = 'catalog.duckdb';
/** File with the signature of the manifest. It exists only if nightly runs sign their manifests. */
export const SIGNATURE = 'manifest.json.sig';

/** Returns true if a folder's name is the id of a generation. Names of unfinished folders begin with a dot. */
export const isGenerationId = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name);

/**
 * Returns true for paths of files in a generation: manifest, signature, catalog, tables, earlier versions and Delta
 * logs.
 */
export const isGenerationFile = (path: string): boolean =>
  /^(?:manifest\.json(?:\.sig)?|catalog\.duckdb|[a-z_]+\/(?:[\w-]+\.parquet|_earlier\/[\w-]+\.parquet|_delta_log\/\d{20}\.json))$/.test(
    path,
  );

export function currentGeneration(dataDir: string): string | undefined {
  try {
    const id = readFileSync(currentFile(dataDir), 'utf8').trim();
    return isGenerationId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the system's error message if CURRENT exists but cannot be read. */
export function currentFault(dataDir: string): string | undefined {
  try {
    readFileSync(currentFile(dataDir));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return message;
  }
  return undefined;
}

export function publishedGeneration(dataDir: string): string {
  const generation = currentGeneration(dataDir);
  if (generation !== undefined) return generation;
  const fault = currentFault(dataDir);
  if (fault === undefined) throw new ConfigError(`nothing is published in ${dataDir}`);
  throw new ConfigError(`${currentFile(dataDir)} cannot be read: ${fault}`);
}

/**
 * Returns `h<height>-<hash of the manifest without its id>`. The hash also excludes the table of restatements, which
 * contains the id. This table follows from the two generations that it compares.
 */
export function generationId(manifest: Omit<Manifest, 'generation'> | Manifest): string {
  const { tables, restatements } = manifest as Partial<Manifest>;
  const content = JSON.stringify({
    ...manifest,
    generation: undefined,
    restatements: restatements?.map((restated) => ({ ...restated, generation_after: undefined })),
    tables: tables?.filter(({ name }) => name !== 'restatements'),
  });
  return `h${manifest.height}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}

const { required } = readSchema<{ readonly required: readonly string[] }>('manifest.json');

/** @throws ConfigError if the manifest is missing or invalid */
export function readManifest(folder: string): Manifest {
  const manifest = readAnyManifest(folder);
  expectUsable(manifest, 'run ./hubledger nightly');
  return manifest;
}

/**
 * @param advice what the user should do if another version of the program made the manifest
 * @throws ConfigError if this version of the program cannot use the manifest
 */
export function expectUsable(manifest: Manifest, advice: string): void {
  const { generation, schema_version } = manifest;
  if (schema_version !== SCHEMA_VERSION) {
    throw new ConfigError(
      `${generation} has schema version ${schema_version}; this program reads version ${SCHEMA_VERSION}: ${advice}`,
    );
  }
  const missing = required.find((member) => !(member in manifest));
  if (missing === undefined) return;
  throw new ConfigError(`${generation} lacks ${missing}, because an older program made it: ${advice}`);
}

/** Reads a manifest of any schema version. */
export function readAnyManifest(folder: string): Manifest {
  const file = manifestFile(folder);
  const broken = (why: string) =>
    new ConfigError(`${file} is damaged, and the next nightly run makes it again: ${why}`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw broken((error as Error).message);
  }
  return parseManifest(text, broken);
}

/** @param broken returns the error for a text that is not a manifest */
export function parseManifest(text: string, broken: (why: string) => Error): Manifest {
  let manifest: Manifest;
  let id: string;
  try {
    manifest = JSON.parse(text);
    id = generationId(manifest ?? {});
  } catch (error) {
    throw broken((error as Error).message);
  }
  if (id !== manifest?.generation) throw broken(`its content belongs to ${id}`);
  return manifest;
}

/**
 * Reads the current generation's manifest, whatever program made it: neither its id nor its members are checked.
 * @returns undefined if nothing is published, or if the manifest is damaged
 */
export function currentOfAnyProgram(dataDir: string): SealedGeneration | undefined {
  const folder = generationDir(dataDir, currentGeneration(dataDir) ?? '');
  try {
    return { folder, manifest: JSON.parse(readFileSync(manifestFile(folder), 'utf8')) };
  } catch {
    return undefined;
  }
}

export interface SealedGeneration {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Returns the manifest's modification time in milliseconds; 0 if there is no manifest. */
const sealedAt = (folder: string): number => statSync(manifestFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Gives a generation's manifest a later modification time than another generation's, even if the clock was set back.
 */
export function dateAfter(folder: string, other: SealedGeneration): void {
  if (sealedAt(folder) > sealedAt(other.folder)) return;
  const seconds = (sealedAt(other.folder) + 1) / 1000;
  utimesSync(manifestFile(folder), seconds, seconds);
}

/** Returns the files that a manifest lists with their hashes: the tables' files and the catalog. */
export const sealedFiles = ({
  tables,
  catalog,
}: Pick<Manifest, 'tables' | 'catalog'>): Pick<ManifestFile, 'path' | 'bytes' | 'sha256'>[] => [
  ...tables.flatMap(({ files }) => files),
  ...(catalog ? [catalog] : []),
];

/** Returns the path of the first missing or changed file of a generation; undefined if there is none. */
export async function damagedGenerationFile(
  folder: string,
  manifest: Manifest,
  manifestText: string,
): Promise<string | undefined> {
  const file = manifestFile(folder);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== manifestText) return file;
  for (const { path, sha256 } of sealedFiles(manifest)) {
    if ((await fileSha256(join(folder, path)).catch(() => '')) !== sha256) return join(folder, path);
  }
  return damagedDeltaFile(folder, manifest);
}

export function makeCurrent(dataDir: string, generation: string): void {
  if (currentGeneration(dataDir) !== generation) replaceFile(currentFile(dataDir), `${generation}\n`);
}

/** Removes the oldest generations. @param kept number of generations that stay, including the current one */
export function removeOldGenerations(dataDir: string, kept: number): void {
  const current = currentGeneration(dataDir);
  const timeOf = (generation: string) => sealedAt(generationDir(dataDir, generation));
  const others = listFolder(generationsDir(dataDir))
    .filter((name) => isGenerationId(name) && name !== current)
    .sort((a, b) => timeOf(b) - timeOf(a));
  const removed = others.filter((generation, i) => i >= kept - 1 || timeOf(generation) === 0);
  for (const generation of removed) {
    rmSync(walletIndexDir(dataDir, generation), { recursive: true, force: true });
    rmSync(generationDir(dataDir, generation), { recursive: true, force: true });
  }
}

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

/** Returns the current generation, or undefined if it cannot be read. */
export const readableCurrent = (dataDir: string): SealedGeneration | undefined =>
  readableGenerations(dataDir).find(({ manifest }) => manifest.generation === currentGeneration(dataDir));

/**
 * Returns the generation that a nightly run replaces: the current one, also if another program made it. If it is
 * damaged, returns the newest readable generation.
 */
export const replacedGeneration = (dataDir: string): SealedGeneration | undefined =>
  currentOfAnyProgram(dataDir) ?? lastGeneration(dataDir);

/** Returns the edges of the generation that a nightly run replaces, in nanoseconds since 1970. They are kept for ever. */
export const keptEdges = (dataDir: string): bigint[] =>
  (replacedGeneration(dataDir)?.manifest.edges ?? []).map(({ at }) => parseTime(at));

/** Returns the current generation. If it cannot be read, returns the newest readable generation. */
export const lastGeneration = (dataDir: string): SealedGeneration | undefined =>
  lastOf(readableGenerations(dataDir), dataDir);

export function lastOf(readable: readonly SealedGeneration[], dataDir: string): SealedGeneration | undefined {
  const current = generationDir(dataDir, currentGeneration(dataDir) ?? '');
  return readable.find(({ folder }) => folder === current) ?? readable[0];
}

export function isUpToDate(dataDir: string, versions: Versions): boolean {
  const generation = currentGeneration(dataDir);
  const last = lastGeneration(dataDir);
  if (generation === undefined || last?.folder !== generationDir(dataDir, generation)) return false;
  return otherVersions(last.manifest, versions).length === 0;
}

/** Returns the files of one month, such as `priced_events/2026-03.parquet` or `priced_events/2026-03_01.parquet`. */
export const filesOfMonth = ({ files }: Pick<ManifestTable, 'files'>, month: string): ManifestFile[] =>
  files.filter(({ path }) => path.split('/')[1]!.startsWith(month));

export function tableFiles(folder: string, manifest: Pick<Manifest, 'tables'>, table: string): string[] {
  const found = manifest.tables.find(({ name }) => name === table);
  if (!found) throw new Error(`${folder} has no table ${table}`);
  return found.files.map(({ path }) => join(folder, path));
}
