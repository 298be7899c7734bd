/**
 * Describes a job of a nightly run for a worker on another machine. The description names each input file by its path
 * in the data folder and by its hash, so equal jobs have equal descriptions.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { ConfigError } from '../../base/config-error.js';
import { fileSha256, listFolder } from '../../base/disk/atomic-files.js';
import { isSafePath, joinSafely } from '../../base/disk/safe-path.js';
import { readSums, SUMS_FILE } from '../../base/disk/sealed-folder.js';
import { harmless, quoted } from '../../base/json/quoted.js';
import { projectRoot } from '../../base/project.js';
import { isHash } from '../../publish/store/content-store.js';
import { JOB_KINDS, type JobKind, PROGRAMS } from '../jobs/job-kinds.js';
import { deserializeError, serializeError } from '../jobs/threads.js';
import { idOf, type JobData, type NightQueue, type QueuedJob } from './night-queue.js';

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

/** Thrown for a job that no coordinator of this store has made, or that names files outside of its folder. */
export class RefusedJob extends ConfigError {}

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
  const jobWithPaths = withPaths(job, dataDir, paths);
  paths.delete(stablePath(job.folder, dataDir));
  const files = new Map<string, string>();
  const inputs: Input[] = [];
  for (const [path, place] of [...paths].flatMap(filesOf).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sha256 = await fileSha256(place);
    inputs.push({ path, sha256 });
    files.set(sha256, place);
  }
  return { description: { kind, job: jobWithPaths, inputs }, files };
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

/**
 * Returns the job with its paths moved to `folder`, which contains copies of its inputs.
 * @throws ConfigError if a path leaves the folder
 */
export function jobIn(folder: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => jobIn(folder, item));
  if (typeof value === 'string' && isAbsolute(value)) throw new RefusedJob('it names an absolute path');
  if (typeof value !== 'object' || value === null) return value;
  if ('$path' in value) return joinSafely(folder, value.$path);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, jobIn(folder, item)]));
}

const JOB_KEY = /^[0-9a-f]{20}$/;
const JOB_NAME = /^[a-z]+ [\w-]{1,40}$/;

/**
 * Reads a job from the queue.
 * @throws RefusedJob if it is not signed with this key for this store, or if it is not the job with this id
 */
export function readJob({ key: queueKey }: Pick<NightQueue, 'key'>, { id, data }: QueuedJob): JobData {
  const text = queueKey.textIn('job', data);
  if (text === undefined)
    throw new RefusedJob('no coordinator of this store has signed it with the HUBLEDGER_QUEUE_KEY of this worker');
  const job: JobData = JSON.parse(text);
  const { kind, key, description, name } = job;
  const isRight = Object.hasOwn(JOB_KINDS, kind) && JOB_KEY.test(key) && isHash(description) && JOB_NAME.test(name);
  if (!isRight || idOf(job) !== id) throw new RefusedJob('its signed text describes no job with this id');
  return job;
}

/** Returns the version of the program that added a job; undefined if workers with this key refuse the job. */
export function programOf(queue: Pick<NightQueue, 'key'>, queued: QueuedJob): string | undefined {
  try {
    return readJob(queue, queued).program;
  } catch {
    return undefined;
  }
}

/** @throws RefusedJob if the text is not the description of a job of this kind, or names files outside of its folder */
export function readDescription(text: string, kind: JobKind): Description {
  const described: Description = JSON.parse(text);
  const { inputs, job } = described;
  const input = inputs.find(({ path, sha256 }) => !isSafePath(path) || !isHash(sha256));
  if (input) throw new RefusedJob(`it has an input with the path ${harmless(quoted(String(input.path)))}`);
  const { folder } = job as { readonly folder: { readonly $path?: unknown } };
  if (described.kind !== kind || !isSafePath(folder.$path))
    throw new RefusedJob('its result has no folder below its own');
  return described;
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
