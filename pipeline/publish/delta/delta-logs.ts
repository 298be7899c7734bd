/**
 * Turns each table into a Delta Lake table: writes a `_delta_log` with one commit per generation. Files of earlier
 * generations are hard-linked into `_earlier`, so that readers can query earlier versions. Patterns such as
 * `<table>/*.parquet` do not match these links.
 */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Manifest, ManifestFile, ManifestTable } from '../../../schemas/types.generated.js';
import { fileSha256, listFolder } from '../../base/disk/atomic-files.js';

interface Generation {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Writes a generation's Delta logs.
 * @param earlier stored generations, oldest first. If a generation lacks a table or one of its files, the table's
 * history starts after this generation.
 */
export async function writeDeltaLogs({ folder, manifest }: Generation, earlier: readonly Generation[]): Promise<void> {
  for (const { name } of manifest.tables) {
    const currentVersion = versionOf(manifest, name)!;
    let versions: TableVersion[] = [];
    for (const generation of earlier) {
      const version = await earlierVersion(generation, name, currentVersion, folder);
      versions = version ? [...versions, version] : [];
    }
    const log = join(folder, name, LOG_FOLDER);
    mkdirSync(log);
    commits([...versions, currentVersion]).forEach((text, version) => {
      writeFileSync(join(log, commitFile(version)), text);
    });
  }
}

function versionOf({ generation, time, tables }: Manifest, name: string): TableVersion | undefined {
  const table = tables.find((one) => one.name === name);
  if (!table?.files.every(({ path }) => path.startsWith(`${name}/`))) return undefined;
  const files = new Map(table.files.map((file) => [file.path.slice(name.length + 1), file]));
  return { generation, time, table, files };
}

/** Returns undefined if a file is missing or cannot be linked. */
async function earlierVersion(
  { folder: from, manifest }: Generation,
  name: string,
  currentVersion: TableVersion,
  to: string,
): Promise<TableVersion | undefined> {
  const version = versionOf(manifest, name);
  if (!version) return undefined;
  const files = new Map<string, ManifestFile>();
  for (const [path, file] of version.files) {
    const isShared = currentVersion.files.get(path)?.sha256 === file.sha256;
    const place = isShared ? path : earlierPath(path, file);
    if (!isShared && !(await keep(join(from, file.path), file, join(to, name, place)))) return undefined;
    files.set(place, file);
  }
  return { ...version, files };
}

/**
 * Creates a hard link to a file of an earlier generation. Returns false if the file is missing or changed, or if the
 * system does not allow the link.
 */
async function keep(file: string, { sha256 }: ManifestFile, name: string): Promise<boolean> {
  try {
    if ((await fileSha256(file)) !== sha256) return false;
    mkdirSync(join(name, '..'), { recursive: true });
    linkSync(file, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'; // an existing link was made by another generation
  }
}

interface Action {
  readonly commitInfo?: { readonly generation: string; readonly [member: string]: unknown };
  readonly protocol?: object;
  readonly metaData?: object;
  readonly add?: { readonly path: string; readonly size: number };
  readonly remove?: { readonly path: string };
}

/**
 * Returns the relative path of the first missing or changed file in `_delta_log` or `_earlier`; undefined if there is
 * none.
 */
export async function damagedDeltaFile(folder: string, manifest: Manifest): Promise<string | undefined> {
  for (const { name } of manifest.tables) {
    const log = join(folder, name, LOG_FOLDER);
    const files = listFolder(log);
    const commits = files.map((file) => actionsOf(readFileSync(join(log, file), 'utf8')));
    const damaged = files.find((file, version) => file !== commitFile(version) || commits[version] === undefined);
    if (damaged !== undefined) return `${name}/${LOG_FOLDER}/${damaged}`;
    const actions = commits.map((commit) => commit!);
    if (!isOf(manifest, actions.at(-1) ?? [])) return `${name}/${LOG_FOLDER}/${commitFile(files.length)}`;
    if (!endsWith(actions.flat(), manifest, name)) return `${name}/${LOG_FOLDER}/${files.at(-1)}`;
    for (const { add } of actions.flat()) {
      if (!add?.path.startsWith(`${EARLIER_FOLDER}/`)) continue;
      const hash = await fileSha256(join(folder, name, add.path)).catch(() => '');
      if (!hash.startsWith(hashOfEarlier(add.path))) return `${name}/${add.path}`;
    }
  }
  return undefined;
}

/** A file of an earlier generation. A Delta log contains only the first digits of its hash. */
export interface EarlierFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Reads a table's Delta log from another source, up to the commit of the manifest's generation.
 * @param read returns the text of a file of the generation
 * @param damaged returns the error for a damaged commit
 */
export async function readDeltaLog(
  table: string,
  manifest: Manifest,
  read: (path: string) => Promise<string>,
  damaged: (path: string) => Error,
): Promise<{ readonly commits: ReadonlyMap<string, string>; readonly earlier: readonly EarlierFile[] }> {
  const commits = new Map<string, string>();
  let actions: readonly Action[] = [];
  for (let isLast = false; !isLast; ) {
    const path = `${table}/${LOG_FOLDER}/${commitFile(commits.size)}`;
    const text = await read(path);
    const received = actionsOf(text);
    if (received === undefined || commits.size === COMMITS_MAX) throw damaged(path);
    commits.set(path, text);
    actions = actions.concat(received);
    isLast = isOf(manifest, received);
    if (isLast && !endsWith(actions, manifest, table)) throw damaged(path);
  }
  const added = actions.flatMap(({ add }) => (add?.path.startsWith(`${EARLIER_FOLDER}/`) ? [add] : []));
  const earlier = added.map(({ path, size }) => ({
    path: `${table}/${path}`,
    bytes: size,
    sha256: hashOfEarlier(path),
  }));
  return { commits, earlier };
}

const isOf = ({ generation }: Manifest, commit: readonly Action[]): boolean =>
  commit.some(({ commitInfo }) => commitInfo?.generation === generation);

/** Returns true if the last version of a log has exactly the columns and files that the manifest lists. */
function endsWith(actions: readonly Action[], manifest: Manifest, table: string): boolean {
  const version = versionOf(manifest, table);
  return version !== undefined && isDeepStrictEqual(lastVersion(actions), lastVersion(commit(version, undefined)));
}

/** Replays the actions of a log. */
function lastVersion(actions: readonly Action[]): object {
  const files = new Map<string, object>();
  let [protocol, metaData]: (object | undefined)[] = [];
  for (const action of actions) {
    protocol = action.protocol ?? protocol;
    metaData = action.metaData ?? metaData;
    if (action.remove) files.delete(action.remove.path);
    if (action.add) files.set(action.add.path, { ...action.add, modificationTime: undefined });
  }
  return { protocol, metaData, files };
}

/** Returns the first digits of a file's hash, which are the start of the file's name. */
export const hashOfName = (name: string): string => name.slice(0, HASH_DIGITS);

const ACTIONS = ['commitInfo', 'protocol', 'metaData', 'add', 'remove'];

/** Parses a commit. Returns undefined if its checksum is wrong, or if a line is not an action that this file writes. */
function actionsOf(commit: string): Action[] | undefined {
  if (!isWhole(commit)) return undefined;
  try {
    const actions: Action[] = commit
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return actions.every(isAction) ? actions : undefined;
  } catch {
    return undefined;
  }
}

function isAction(action: Action): boolean {
  const members = Object.entries(action);
  const [[name, value] = ['']] = members;
  if (members.length !== 1 || !ACTIONS.includes(name) || typeof value !== 'object' || value === null) return false;
  const { add, remove } = action;
  if (add && (typeof add.path !== 'string' || !Number.isSafeInteger(add.size) || add.size < 0)) return false;
  return remove === undefined || typeof remove.path === 'string';
}

interface TableVersion {
  readonly generation: string;
  readonly time: string;
  readonly table: Pick<ManifestTable, 'name' | 'description' | 'columns' | 'sorted_by'>;
  readonly files: ReadonlyMap<string, ManifestFile>;
}

const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 };

const LOG_FOLDER = '_delta_log';
const EARLIER_FOLDER = '_earlier';
const HASH_DIGITS = 16;
/** A log has one commit for each generation on disk. */
const COMMITS_MAX = 16;

const earlierPath = (path: string, { sha256 }: ManifestFile): string =>
  `${EARLIER_FOLDER}/${sha256.slice(0, HASH_DIGITS)}-${path}`;

const hashOfEarlier = (path: string): string => hashOfName(path.slice(EARLIER_FOLDER.length + 1));

const commits = (versions: readonly TableVersion[]): string[] =>
  versions.map((version, i) => {
    const actions = commit(version, versions[i - 1]);
    return withChecksum(actions.map((action) => `${JSON.stringify(action)}\n`).join(''));
  });

const CHECKSUM = /"checksum":"[0-9a-f]*"/;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const withChecksum = (text: string) => text.replace(CHECKSUM, `"checksum":"${sha256(text)}"`);

/** Verifies a commit's checksum, which is the hash of the commit with an empty checksum. */
const isWhole = (text: string): boolean =>
  withChecksum(text.replace(CHECKSUM, '"checksum":""')) === text && CHECKSUM.test(text);

const commitFile = (version: number) => `${String(version).padStart(20, '0')}.json`;

function commit(version: TableVersion, before: TableVersion | undefined): Action[] {
  const timestamp = Date.parse(version.time);
  const metaData = metaDataOf(version.table);
  const isSchemaNew = !before || JSON.stringify(metaDataOf(before.table)) !== JSON.stringify(metaData);
  return [
    {
      commitInfo: {
        timestamp,
        operation: 'WRITE',
        operationParameters: { mode: 'Overwrite' },
        generation: version.generation,
        checksum: '',
      },
    },
    ...(before ? [] : [{ protocol: PROTOCOL }]),
    ...(isSchemaNew ? [{ metaData }] : []),
    ...[...(before?.files.keys() ?? [])]
      .filter((path) => !version.files.has(path))
      .map((path) => removal(path, timestamp)),
    ...[...version.files]
      .filter(([path]) => !before?.files.has(path))
      .map(([path, file]) => addition(path, file, { timestamp, key: version.table.sorted_by[0]! })),
  ];
}

const removal = (path: string, deletionTimestamp: number) => ({
  remove: { path, deletionTimestamp, dataChange: true },
});

const addition = (path: string, file: ManifestFile, { timestamp, key }: { timestamp: number; key: string }) => ({
  add: {
    path,
    partitionValues: {},
    size: file.bytes,
    modificationTime: timestamp,
    dataChange: true,
    stats: JSON.stringify({ numRecords: file.rows, ...keyStatistics(file, key) }),
  },
});

/** Returns the smallest and largest key of a file. Readers use them to skip the file. */
const keyStatistics = ({ first, last }: ManifestFile, key: string) =>
  first === undefined ? {} : { minValues: { [key]: first }, maxValues: { [key]: last } };

const metaDataOf = ({ name, description, columns }: TableVersion['table']) => ({
  id: tableId(name),
  name,
  description,
  format: { provider: 'parquet', options: {} },
  schemaString: JSON.stringify({
    type: 'struct',
    fields: columns.map((column) => deltaField(column.name, column.type, column.description)),
  }),
  partitionColumns: [],
  configuration: {},
});

/** Returns a table's UUID. It depends only on the table's name (RFC 9562, version 8). */
function tableId(name: string): string {
  const hex = sha256(`hubledger ${name}`);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

type DeltaType =
  | string
  | { readonly type: 'array'; readonly elementType: DeltaType; readonly containsNull: true }
  | { readonly type: 'struct'; readonly fields: readonly DeltaField[] };

interface DeltaField {
  readonly name: string;
  readonly type: DeltaType;
  readonly nullable: true;
  readonly metadata: { readonly comment?: string };
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
  BIGINT: 'long',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
};

function deltaType(type: string): DeltaType {
  if (type.endsWith('[]')) return { type: 'array', elementType: deltaType(type.slice(0, -2)), containsNull: true };
  const members = /^STRUCT\((.*)\)$/.exec(type)?.[1];
  if (members !== undefined) return { type: 'struct', fields: split(members).map(memberField) };
  const decimal = /^DECIMAL\((\d+), ?(\d+)\)$/.exec(type);
  if (decimal) return `decimal(${decimal[1]},${decimal[2]})`;
  const primitive = PRIMITIVES[type];
  if (primitive === undefined) throw new Error(`Delta Lake has no type for ${type}`);
  return primitive;
}

export const deltaField = (name: string, type: string, comment?: string): DeltaField => ({
  name,
  type: deltaType(type),
  nullable: true,
  metadata: comment === undefined ? {} : { comment },
});

function memberField(member: string): DeltaField {
  const [, name, type] = /^"?(\w+)"? (.+)$/.exec(member)!;
  return deltaField(name!, type!);
}

const split = (members: string): string[] => members.split(/, (?![^()]*\))/);
