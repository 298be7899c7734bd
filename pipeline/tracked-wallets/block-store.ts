/**
 * Stores single blocks in files `own-wallets/<chain id>/blocks/<number>.parquet`. A file never changes, and each block
 * is stored once. Next to each file, `<number>.json` lists the account sequences, deposits and slashes of the file's
 * blocks. Later searches use this list and need not read the blocks again.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RawBlock } from '../../schemas/types.generated.js';
import { listFolder, replaceFile, sync } from '../base/disk/atomic-files.js';
import { type Database, readSql } from '../base/duckdb/database.js';
import { writeTableFile } from '../base/duckdb/table-file.js';
import type { FullBlock } from '../chain/block.js';
import { BlockError } from '../chain/block-error.js';
import { checksumOf } from '../chain/block-record.js';
import { isParquetFault, rawFolder } from '../chain/raw-files.js';
import { readBlock } from '../chain/read-blocks.js';
import { searchesFinding } from './find-heights.js';

/** The facts of a block that the search for further heights uses. */
export interface BlockFacts {
  readonly height: number;
  /** Signers of the block's transactions, as `<address>/<sequence>`. */
  readonly sequences: readonly string[];
  /** Deposits for governance proposals, as `<address>/<proposal>`. */
  readonly deposits: readonly string[];
  /** Searches for the configured wallets that find the block. Undefined in files of earlier versions. */
  readonly searches?: readonly string[];
}

function factsOf(block: FullBlock, wallets: ReadonlySet<string>): BlockFacts {
  const { height, transactions } = block;
  const [sequences, deposits]: [string[], string[]] = [[], []];
  for (const { events } of transactions) {
    for (const { type, attributes } of events) {
      const of = (name: string) => attributes.find(({ key }) => key === name)?.value;
      if (type === 'tx') {
        for (const { key, value } of attributes) if (key === 'acc_seq') sequences.push(value);
      } else if (type === 'proposal_deposit') {
        const [depositor, proposal] = [of('depositor'), of('proposal_id')];
        if (depositor !== undefined && proposal !== undefined) deposits.push(`${depositor.toLowerCase()}/${proposal}`);
      }
    }
  }
  return { height, sequences, deposits, searches: searchesFinding(block, wallets) };
}

/** Blocks per file. If a run is killed, at most this many fetched blocks are lost. */
const FILE_BLOCKS = 100;
const FILE_CHARACTERS = 32_000_000;

const NAME = /^(\d{6,})\.parquet$/;

export class BlockStore {
  private readonly files = new Map<number, string>();
  private rows: RawBlock[] = [];
  private facts: BlockFacts[] = [];
  private characters = 0;
  private next = 1;

  private constructor(
    private readonly database: Database,
    readonly folder: string,
    private readonly wallets: ReadonlySet<string>,
  ) {}

  /** Opens the store. Removes unfinished files of a killed run, and files that cannot be read. */
  static async open(
    database: Database,
    folder: string,
    wallets: ReadonlySet<string>,
    onDamaged: (path: string) => void,
  ): Promise<BlockStore> {
    mkdirSync(folder, { recursive: true });
    const store = new BlockStore(database, folder, wallets);
    for (const name of listFolder(folder)) {
      const path = join(folder, name);
      const number = NAME.exec(name)?.[1];
      if (number === undefined) {
        const isOfFile = /^\d{6,}\.json$/.test(name) && existsSync(path.replace(/json$/, 'parquet'));
        if (!isOfFile) rmSync(path, { force: true });
        continue;
      }
      store.next = Math.max(store.next, Number(number) + 1);
      try {
        if (!existsSync(factsFile(path))) throw new Error('Invalid Error: no facts');
        const rows = await database.all<{ height: number }>('select height from read_parquet($path)', { path });
        for (const { height } of rows) store.files.set(height, path);
      } catch (error) {
        if (!isParquetFault(error)) throw error;
        rmSync(path);
        rmSync(factsFile(path), { force: true });
        onDamaged(path);
      }
    }
    return store;
  }

  has(height: number): boolean {
    return this.files.has(height);
  }

  fileOf(height: number): string {
    return this.files.get(height)!;
  }

  async add(row: RawBlock, block: FullBlock): Promise<void> {
    this.rows.push(row);
    this.facts.push(factsOf(block, this.wallets));
    this.characters += row.record.length;
    if (this.rows.length >= FILE_BLOCKS || this.characters >= FILE_CHARACTERS) await this.flush();
  }

  /** Adds a block. If another version of it is stored, removes that version first. */
  async replace(row: RawBlock, block: FullBlock): Promise<void> {
    const old = this.files.get(row.height);
    if (old !== undefined) await this.removeFrom(old, row.height);
    await this.add(row, block);
  }

  /** Writes the other blocks of a file into a new file. */
  private async removeFrom(path: string, height: number): Promise<void> {
    await this.flush();
    const heights = [...this.files].flatMap(([one, file]) => (file === path && one !== height ? [one] : []));
    const parameters = { files: [path], heights: heights.map(String) };
    this.rows = await this.database.all<RawBlock>(readSql('tables/blocks_at'), parameters);
    this.facts = [...this.factsAt(new Set(heights))];
    await this.flush();
    rmSync(path);
    rmSync(factsFile(path), { force: true });
    this.files.delete(height);
  }

  async flush(): Promise<void> {
    if (this.rows.length === 0) return;
    const path = join(this.folder, `${String(this.next++).padStart(6, '0')}.parquet`);
    await this.database.create('raw_blocks');
    await this.database.append('raw_blocks', this.rows);
    await writeTableFile(this.database, 'raw_blocks', `${path}.tmp`);
    await this.database.create('raw_blocks');
    replaceFile(factsFile(path), this.facts.map((facts) => `${JSON.stringify(facts)}\n`).join(''));
    sync(`${path}.tmp`);
    renameSync(`${path}.tmp`, path);
    sync(this.folder);
    for (const { height } of this.rows) this.files.set(height, path);
    [this.rows, this.facts, this.characters] = [[], [], 0];
  }

  /** Yields the facts of the blocks at these heights, in no particular order. */
  *factsAt(heights: ReadonlySet<number>): Generator<BlockFacts> {
    const paths = new Set([...heights].flatMap((height) => this.files.get(height) ?? []));
    for (const path of paths) {
      for (const line of readFileSync(factsFile(path), 'utf8').split('\n')) {
        if (line === '') continue;
        const facts: BlockFacts = JSON.parse(line);
        if (heights.has(facts.height)) yield facts;
      }
    }
  }
}

/** Returns the folder with all data for single wallets of a chain. */
export const trackedWalletsFolder = (dataDir: string, nodeChainId: string): string =>
  join(dataDir, 'own-wallets', rawFolder('', nodeChainId).replace(/^raw./, ''));

export const blocksFolder = (folder: string): string => join(folder, 'blocks');

export async function storedBlock(database: Database, folder: string, height: number): Promise<FullBlock | undefined> {
  const blocks = blocksFolder(folder);
  const files = listFolder(blocks)
    .filter((name) => NAME.test(name))
    .map((name) => join(blocks, name));
  if (files.length === 0) return undefined;
  for await (const block of readStoredBlocks(database, files, [height])) return block;
  return undefined;
}

const factsFile = (path: string) => path.replace(/parquet$/, 'json');

/**
 * Yields blocks in ascending order of height.
 * @throws BlockError if a block's row does not match its stored hash
 */
export async function* readStoredBlocks(
  database: Database,
  files: readonly string[],
  heights: readonly number[],
): AsyncGenerator<FullBlock> {
  const parameters = { files, heights: heights.map(String) };
  for await (const row of database.rowByRow<RawBlock>('raw_blocks', readSql('tables/blocks_at'), parameters)) {
    if (row.checksum !== checksumOf(row)) {
      throw new BlockError(
        row.height,
        row.hash,
        `its file is damaged: remove ${files.join(', ')}, then run \`./hubledger nightly\``,
      );
    }
    yield readBlock(row);
  }
}
