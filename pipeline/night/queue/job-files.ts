/**
 * Describes a job of a nightly run for a worker on another machine. The description names each input file by its path
 * in the data folder and by its hash, so equal jobs have equal descriptions.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { fileSha256, listFolder } from '../../base/disk/atomic-files.js';
import { readSums, SUMS_FILE } from '../../base/disk/sealed-folder.js';
import { projectRoot } from '../../base/project.js';
import { type JobKind, PROGRAMS } from '../jobs/job-kinds.js';
import { deserializeError, serializeError } from '../jobs/threads.js';

export interface Input {
  /** Path in the data folder. */
  readonly path: string;
  readonly sha256: string;
}

export interface Description {
  readonly kind: JobKind;
  /** The job's parameters. Each path in the data folder is replaced by an object with the member `$path`. */
  readonly job: unknown;
  readonly inputs: readonly Input[];
}

/**
 * Matches the random part in the names of unfinished files. It is removed, because equal jobs must have equal
 * descriptions.
 */
const RANDOM = /(^|\/)\.unfinished-[a-z-]+-[0-9a-f]{8}-/g;

type Paths = Map<string, string>;

/** Returns the job's description, and the path of each input file by the file's hash. */
export async function describeJob(
  kind: JobKind,
  job: { readonly folder: string },
  dataDir: string,
): Promise<{ readonly description: Description; readonly files: ReadonlyMap<string, string> }> {
  const paths: Paths = new Map();
  const told = withPaths(job, dataDir, paths);
  paths.delete(stablePath(job.folder, dataDir));
  const files = new Map<string, string>();
  const inputs: Input[] = [];
  for (const [path, place] of [...paths].flatMap(filesOf).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sha256 = await fileSha256(place);
    inputs.push({ path, sha256 });
    files.set(sha256, place);
  }
  return { description: { kind, job: told, inputs }, files };
}

export const textHash = (text: string): string => createHash('sha256').update(text).digest('hex');

function stablePath(path: string, dataDir: string): string {
  return relative(dataDir, path).split(sep).join('/').replace(RANDOM, '$1');
}

function withPaths(value: unknown, dataDir: string, paths: Paths): unknown {
  if (Array.isArray(value)) return value.map((item) => withPaths(item, dataDir, paths));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withPaths(item, dataDir, paths)]));
  }
  if (typeof value !== 'string' || !value.startsWith(dataDir + sep)) return value;
  const path = stablePath(value, dataDir);
  const other = paths.get(path) ?? value;
  if (other !== value) throw new Error(`a job names ${value} and ${other}, which get the same name`);
  paths.set(path, value);
  return { $path: path };
}

/** Returns the files of a folder. In a sealed folder, these are only the files in its list of hashes. */
function filesOf([path, place]: [string, string]): [path: string, place: string][] {
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [[path, place]];
  const sums = readSums(place);
  const names = sums ? [SUMS_FILE, ...Object.keys(sums)] : listFolder(place);
  return names.flatMap((name) => filesOf([`${path}/${name}`, join(place, name)]));
}

/** Returns the job with its paths moved to `folder`, which contains copies of its inputs. */
export function jobIn(folder: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => jobIn(folder, item));
  if (typeof value !== 'object' || value === null) return value;
  if ('$path' in value) return join(folder, String(value.$path));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, jobIn(folder, item)]));
}

/** Returns a job's name for log lines: its kind with its month or range of blocks. */
export function nameOf(kind: JobKind, job: object): string {
  if ('month' in job) return `${kind} ${(job.month as { month: string }).month}`;
  const { first, last } = job as { readonly first: number; readonly last: number };
  return `${kind} ${first}-${last}`;
}

/**
 * Hashes the program of all jobs and the reviewed data. Workers run only jobs with their own hash, because another
 * version could write other bytes.
 */
export function jobVersion(): string {
  const folder = join(projectRoot(), 'data/reference');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const reviewed = files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  return cacheKey(Object.values(PROGRAMS), reviewed);
}

/**
 * Serializes an error of a job.
 * @param folder paths below it become relative, so that `errorFromText` can resolve them in another data folder
 */
export function errorText(error: unknown, folder?: string): string {
  const text = JSON.stringify(serializeError(error));
  return folder === undefined ? text : text.replaceAll(folder, '<data folder>');
}

/** @param name name of the job, for errors that BullMQ itself reports */
export function errorFromText(text: string, name: string, dataDir: string): Error {
  try {
    return deserializeError(JSON.parse(text.replaceAll('<data folder>', dataDir)));
  } catch {
    return new Error(`${name} failed: ${text}`);
  }
}
