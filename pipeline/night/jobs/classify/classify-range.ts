/** Classifies a range of raw blocks. The same input always gives the same bytes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Chain, ChainAct, Contracts, DenomMetadata, OversizedToken } from '../../../../schemas/types.generated.js';
import { removeFolder, unfinished } from '../../../base/disk/atomic-files.js';
import { sealFolder } from '../../../base/disk/sealed-folder.js';
import { Database } from '../../../base/duckdb/database.js';
import type { FullBlock } from '../../../chain/block.js';
import { BlockError } from '../../../chain/block-error.js';
import { readBlocks } from '../../../chain/read-blocks.js';
import { chainFacts } from '../../../classify/chain-facts.js';
import type { ChainFacts } from '../../../classify/classifier.js';
import { type ClassifiedBlock, classifyBlock } from '../../../classify/classify-blocks.js';
import { RANGE_TABLES, ROWS } from '../classified-rows.js';

const NOTES_FILE = 'notes.json';

export interface RangeJob {
  /** The file with all raw blocks of the range. */
  readonly raw: string;
  readonly first: number;
  readonly last: number;
  readonly folder: string;
  readonly chain: Chain;
  readonly contracts: Contracts;
  readonly acts: readonly ChainAct[];
}

/**
 * Classifies the range and writes its folder. The folder appears only when it is complete.
 * @throws BlockError for a block that cannot be classified
 */
export async function classifyRange(job: RangeJob): Promise<void> {
  const folder = unfinished(job.folder);
  mkdirSync(folder, { recursive: true });
  const database = await Database.open(`${folder}-spill`, { threads: 1 });
  try {
    const range = { path: job.raw, from: job.first, to: job.last };
    await writeClassified(database, folder, readBlocks(database, range), job);
  } finally {
    database.close();
  }
  removeFolder(job.folder);
  await sealFolder(folder, job.folder);
}

/** The reviewed data that classification uses. */
export type Reviewed = Pick<RangeJob, 'chain' | 'contracts' | 'acts'>;

/** Writes the rows of blocks, and the notes about the blocks, to a folder. */
export async function writeClassified(
  database: Database,
  folder: string,
  blocks: AsyncIterable<FullBlock>,
  reviewed: Reviewed,
): Promise<void> {
  const notes = await classifyInto(database, blocks, reviewed);
  for (const table of RANGE_TABLES) await database.keep(table, join(folder, `${table}.parquet`));
  writeFileSync(join(folder, NOTES_FILE), JSON.stringify(notes));
}

/** Collects all rows before appending them, because a DuckDB connection cannot append while it streams. */
async function classifyInto(
  database: Database,
  blocks: AsyncIterable<FullBlock>,
  { chain, contracts, acts }: Reviewed,
): Promise<Notes> {
  const facts = chainFacts(chain, contracts, acts);
  const rows = ROWS.map(([table, member]) => ({ table, member, list: [] as object[] }));
  const unclassified = new Map<string, number>();
  const unreviewedMoves = new Map<string, number>();
  const unknownTypes = new Map<string, number>();
  const undecoded = new Map<string, number>();
  const oversized: OversizedToken[] = [];
  const denomMetadata: DenomMetadata[] = [];
  const voucherTraces = new Set<string>();
  for await (const block of blocks) {
    const found = classified(block, facts);
    for (const { member, list } of rows) list.push(...found[member]);
    oversized.push(...found.oversized);
    denomMetadata.push(...found.denomMetadata);
    for (const trace of found.voucherTraces) voucherTraces.add(trace);
    add(unclassified, found.unclassified);
    add(unreviewedMoves, found.unreviewedMoves);
    add(unknownTypes, found.unknownTypes);
    add(undecoded, found.undecoded);
  }
  for (const { table, list } of rows) {
    await database.create(table);
    await database.append(table, list);
  }
  return {
    unclassified: Object.fromEntries(unclassified),
    unreviewedMoves: Object.fromEntries(unreviewedMoves),
    unknownTypes: Object.fromEntries(unknownTypes),
    undecoded: Object.fromEntries(undecoded),
    oversized,
    denomMetadata,
    voucherTraces: [...voucherTraces],
  };
}

function classified(block: FullBlock, facts: ChainFacts): ClassifiedBlock {
  try {
    return classifyBlock(block, facts);
  } catch (error) {
    throw new BlockError(block.height, block.hash, `it cannot be classified: ${(error as Error).message}`);
  }
}

function add(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}

/** Facts about a range that are not rows. Keys of counts are message types, BeginBlock, EndBlock and fee. */
export interface Notes {
  readonly unclassified: Readonly<Record<string, number>>;
  /** Number of coin movements by the chain itself that nobody has reviewed, by height. */
  readonly unreviewedMoves: Readonly<Record<string, number>>;
  readonly unknownTypes: Readonly<Record<string, number>>;
  readonly undecoded: Readonly<Record<string, number>>;
  readonly oversized: readonly OversizedToken[];
  readonly denomMetadata: readonly DenomMetadata[];
  readonly voucherTraces: readonly string[];
}

export const readNotes = (folders: readonly string[]): Notes =>
  sumNotes(folders.map((folder) => JSON.parse(readFileSync(join(folder, NOTES_FILE), 'utf8'))));

function sumNotes(all: readonly Notes[]): Notes {
  return {
    unclassified: sumCounts(all.map((notes) => notes.unclassified)),
    unreviewedMoves: sumCounts(all.map((notes) => notes.unreviewedMoves)),
    unknownTypes: sumCounts(all.map((notes) => notes.unknownTypes)),
    undecoded: sumCounts(all.map((notes) => notes.undecoded)),
    oversized: all.flatMap((notes) => notes.oversized),
    denomMetadata: all.flatMap((notes) => notes.denomMetadata),
    voucherTraces: [...new Set(all.flatMap((notes) => notes.voucherTraces))],
  };
}

function sumCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}
