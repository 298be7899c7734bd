/**
 * Stores blocks in files `raw/<chain id>/<from>-<to>.parquet`, split at fixed heights. Only these files record which
 * blocks a run has stored.
 */
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RawBlock } from '../../schemas/types.generated.js';
import { ConfigError } from '../base/config-error.js';
import { listFolder, sync } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { writeTableFile } from '../base/duckdb/table-file.js';
import { BlockError } from './block-error.js';
import { checksumOf } from './block-record.js';

/** Heights per file: 1–500, 501–1000, … */
const RANGE_HEIGHTS = 500;

export interface RawRange {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

export function lastHeightOfRange(height: number, heights = RANGE_HEIGHTS): number {
  return Math.ceil(height / heights) * heights;
}

const NAME = /^(\d{10,})-(\d{10,})\.parquet$/;

/** Pads a height to ten digits, so that file names sort by height. */
export const paddedHeight = (height: number) => String(height).padStart(10, '0');

export function rawFolder(dataDir: string, chainId: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(chainId)) {
    throw new ConfigError(`${JSON.stringify(chainId)} is not a chain id: use letters, digits, '.', '_' and '-' only`);
  }
  return join(dataDir, 'raw', chainId);
}

/** Returns the files in ascending order. Omits files whose blocks are all in a larger file. */
export function listRanges(folder: string): RawRange[] {
  const all = listFolder(folder).flatMap((name) => {
    const match = NAME.exec(name);
    return match ? [{ from: Number(match[1]), to: Number(match[2]), path: join(folder, name) }] : [];
  });
  all.sort((a, b) => a.from - b.from || b.to - a.to);
  let covered = -1;
  return all.filter(({ to }) => {
    const isNew = to > covered;
    if (isNew) covered = to;
    return isNew;
  });
}

export const rangeOf = (folder: string, height: number): RawRange | undefined =>
  listRanges(folder).find(({ from, to }) => from <= height && height <= to);

/** Creates the folder. Removes unfinished and redundant files that a killed run left behind. */
export function tidyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const kept = new Set(listRanges(folder).map((range) => range.path));
  for (const name of listFolder(folder)) {
    const path = join(folder, name);
    if (name.endsWith('.tmp') || (NAME.test(name) && !kept.has(path))) rmSync(path);
  }
}

async function placeRange(
  folder: string,
  from: number,
  to: number,
  replaced: readonly RawRange[],
  write: (path: string) => Promise<unknown>,
): Promise<RawRange> {
  const path = join(folder, `${paddedHeight(from)}-${paddedHeight(to)}.parquet`);
  const temporary = `${path}.tmp`;
  await write(temporary);
  sync(temporary);
  renameSync(temporary, path);
  sync(folder);
  for (const range of replaced) if (range.path !== path) rmSync(range.path);
  return { from, to, path };
}

/**
 * Replaces the blocks of a range. The old file stays as `<name>.<number>.replaced`. Even if the process is killed, the
 * range's name always belongs to a complete file.
 * @returns path of the old file
 */
export async function replaceRange({ path }: RawRange, write: (path: string) => Promise<unknown>): Promise<string> {
  const temporary = `${path}.tmp`;
  await write(temporary);
  sync(temporary);
  let number = 1;
  while (existsSync(replacedName(path, number))) number++;
  const old = replacedName(path, number);
  try {
    linkSync(path, old);
  } catch {
    copyFileSync(path, old, constants.COPYFILE_EXCL);
    sync(old);
  }
  sync(dirname(path));
  renameSync(temporary, path);
  sync(dirname(path));
  return old;
}

const replacedName = (path: string, number: number) => `${path}.${number}.replaced`;

/** Returns each replaced file together with the files that now store its heights. */
export function replacedFiles(folder: string): { replaced: string; stored: string[] }[] {
  const ranges = listRanges(folder);
  return listFolder(folder).flatMap((name) => {
    const match = /^(\d{10,})-(\d{10,})\.parquet\.\d+\.replaced$/.exec(name);
    if (!match) return [];
    const [first, last] = [Number(match[1]), Number(match[2])];
    const stored = ranges.filter(({ from, to }) => from <= last && to >= first).map(({ path }) => path);
    return stored.length > 0 ? [{ replaced: join(folder, name), stored }] : [];
  });
}

export class DamagedFileError extends BlockError {
  constructor(
    height: number,
    readonly path: string,
  ) {
    super(
      height,
      undefined,
      `${basename(path)} is damaged: it is set aside, and the next nightly run fetches its blocks again`,
    );
  }
}

export const isParquetFault = (error: unknown): boolean =>
  error instanceof Error && /^(Invalid (Input )?Error|Serialization Error|TProtocolException)/.test(error.message);

const DAMAGED = '.damaged';

/**
 * Renames a damaged file, so that its blocks are fetched again. Does not delete it, because nodes may have pruned its
 * blocks.
 */
export function setAside(folder: string, path: string): void {
  renameSync(path, path + DAMAGED);
  sync(folder);
}

export function setAsideFault(folder: string, height: number): DamagedFileError | undefined {
  const names = listFolder(folder).filter((name) => name.endsWith(DAMAGED));
  const paths = names.map((name) => name.slice(0, -DAMAGED.length));
  const path = paths.find((name) => {
    const [, from, to] = NAME.exec(name) ?? [];
    return Number(from) <= height && height <= Number(to);
  });
  return path === undefined ? undefined : new DamagedFileError(height, join(folder, path));
}

export async function* settingAside<Row>(folder: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof DamagedFileError && existsSync(error.path)) setAside(folder, error.path);
    throw error;
  }
}

/**
 * Yields stored rows in ascending order.
 * @throws DamagedFileError if a row does not match its checksum
 */
export async function* readRows(
  database: Database,
  range: RawRange,
  first = range.from,
  last = range.to,
): AsyncGenerator<RawBlock> {
  const parameters = { path: range.path, first, last };
  let next = first;
  try {
    const rows = database.rowByRow<RawBlock>('raw_blocks', readSql('tables/read_raw_blocks'), parameters);
    for await (const row of rows) {
      if (row.height !== next || (row.checksum !== null && row.checksum !== checksumOf(row))) break;
      yield row;
      next++;
    }
  } catch (error) {
    if (!isParquetFault(error)) throw error;
  }
  if (next <= last) throw new DamagedFileError(next, range.path);
}

/**
 * Returns the stored row of a block. Searches its file on every call, because files are merged when a gap is filled.
 */
export async function storedRow(database: Database, folder: string, height: number): Promise<RawBlock | undefined> {
  const range = rangeOf(folder, height);
  if (!range) return undefined;
  for await (const row of settingAside(folder, readRows(database, range, height, height))) return row;
  throw new Error(`${range.path} does not contain height ${height}`);
}

const BATCH_CHARACTERS = 8_000_000;

export class RawWriter {
  private batch: RawBlock[] = [];
  private characters = 0;
  private first: number | undefined;
  private last = 0;

  constructor(
    private readonly database: Database,
    private readonly folder: string,
  ) {}

  async add(row: RawBlock): Promise<void> {
    if (this.first === undefined) {
      await this.database.create('raw_blocks');
      this.first = row.height;
    }
    this.batch.push(row);
    this.last = row.height;
    this.characters += row.record.length;
    if (this.characters >= BATCH_CHARACTERS) await this.flush();
    if (row.height === lastHeightOfRange(row.height)) await this.finish();
  }

  async finish(): Promise<void> {
    if (this.first === undefined) return;
    await this.flush();
    const [first, last] = [this.first, this.last];
    const range = lastHeightOfRange(first);
    const adjoining = listRanges(this.folder).filter(
      ({ from, to }) => lastHeightOfRange(from) === range && (to === first - 1 || from === last + 1),
    );
    for (const { path } of adjoining) await this.database.run('tables/append_raw_blocks', { path });
    const from = Math.min(first, ...adjoining.map((file) => file.from));
    const to = Math.max(last, ...adjoining.map((file) => file.to));
    await placeRange(this.folder, from, to, adjoining, (path) =>
      writeTableFile(this.database, 'raw_blocks', path, undefined, to - from + 1),
    );
    await this.database.create('raw_blocks');
    this.first = undefined;
  }

  private async flush(): Promise<void> {
    await this.database.append('raw_blocks', this.batch);
    this.batch = [];
    this.characters = 0;
  }
}
