/** Delta Lake logs (reader version 1, writer version 2), one commit per generation with removed and added files. */
import { createHash } from 'node:crypto';
import type { ManifestFile, ManifestTable } from '../../schemas/types.generated.js';
import { deltaField } from './delta-types.js';

/** A table in one generation. */
export interface TableVersion {
  readonly generation: string;
  /** Time of the generation's last block, RFC 3339. */
  readonly time: string;
  readonly table: Pick<ManifestTable, 'name' | 'description' | 'columns' | 'sorted_by'>;
  /** By path relative to the table's folder. */
  readonly files: ReadonlyMap<string, ManifestFile>;
}

const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 };

export const LOG_FOLDER = '_delta_log';
export const EARLIER_FOLDER = '_earlier';
const HASH_DIGITS = 16;

/** Returns the path of a file of an earlier version. A hash prefix makes it unique. */
export const earlierPath = (path: string, { sha256 }: ManifestFile): string =>
  `${EARLIER_FOLDER}/${sha256.slice(0, HASH_DIGITS)}-${path}`;

/** Returns the SHA-256 prefix in such a path. */
export const hashOfEarlier = (path: string): string =>
  path.slice(EARLIER_FOLDER.length + 1, EARLIER_FOLDER.length + 1 + HASH_DIGITS);

export const commits = (versions: readonly TableVersion[]): string[] =>
  versions.map((version, i) => {
    const actions = commit(version, versions[i - 1]);
    return withChecksum(actions.map((action) => `${JSON.stringify(action)}\n`).join(''));
  });

const CHECKSUM = /"checksum":"[0-9a-f]*"/;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const withChecksum = (text: string) => text.replace(CHECKSUM, `"checksum":"${sha256(text)}"`);

/** Verifies a commit's checksum: the hash of the commit with an empty checksum. */
export const isWhole = (text: string): boolean =>
  withChecksum(text.replace(CHECKSUM, '"checksum":""')) === text && CHECKSUM.test(text);

export const commitFile = (version: number) => `${String(version).padStart(20, '0')}.json`;

function commit(version: TableVersion, before: TableVersion | undefined): object[] {
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

/** Bounds of the first sort column, for data skipping. */
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

/** Derives a stable UUID from the table's name (RFC 9562, version 8). */
function tableId(name: string): string {
  const hex = sha256(`hubledger ${name}`);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
