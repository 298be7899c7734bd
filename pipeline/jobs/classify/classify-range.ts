/** One range of raw blocks → its rows on disk. The unit of classification: same input, same bytes, same name. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  Chain,
  ChainEvent,
  CoinMovement,
  Contracts,
  DenomMetadata,
  OversizedToken,
  ProposalEnd,
  ShareReward,
  SupplyChange,
  ValidatorName,
} from '../../../schemas/types.generated.js';
import { tailBlocks } from '../../chain/tail-blocks.js';
import { chainFacts } from '../../classify/chain-facts.js';
import { classifyBlock } from '../../classify/classify-blocks.js';
import { finishFolder, unfinished } from '../../disk/atomic-files.js';
import { Database } from '../../duckdb/database.js';
import type { JobContext } from '../run-jobs.js';
import type { Notes } from './notes.js';

/** Where a range's notes lie, beside its tables. */
export const NOTES_FILE = 'notes.json';

/** What is to be done: the blocks, where their rows go, and what is known of their chain. Plain data: it may cross threads. */
export interface RangeJob {
  /** Of the raw blocks, which may still be arriving. */
  readonly rawFolder: string;
  /** Heights of one raw file, or of a part of it, both inclusive. */
  readonly first: number;
  readonly last: number;
  readonly folder: string;
  readonly chain: Chain;
  readonly contracts: Contracts;
}

/** The tables of a range. */
export const RANGE_TABLES = [
  'chain_events',
  'coin_movements',
  'supply_changes',
  'proposal_ends',
  'share_rewards',
  'validator_names',
] as const;

/** Classifies the range's blocks and puts its tables and the notes into its folder, all or nothing. */
export async function classifyRange(job: RangeJob, context: Waits): Promise<void> {
  const database = await openForRanges();
  try {
    await classifyRangeWith(database, job, context);
  } finally {
    database.close();
  }
}

type Waits = Pick<JobContext<never>, 'signal'>;

/** What ranges are classified with, one after the other: to open one takes as long as to classify dozens of blocks. */
export const openForRanges = (): Promise<Database> => Database.open({ threads: 1 });

/** As classifyRange. @param database nobody else's; its tables are made anew */
export async function classifyRangeWith(database: Database, job: RangeJob, { signal }: Waits): Promise<void> {
  const folder = unfinished(job.folder);
  mkdirSync(folder, { recursive: true });
  const notes = await classifyInto(database, job, signal);
  for (const table of RANGE_TABLES) await database.keep(table, join(folder, `${table}.parquet`));
  writeFileSync(join(folder, NOTES_FILE), JSON.stringify(notes));
  mkdirSync(dirname(job.folder), { recursive: true });
  finishFolder(folder, job.folder);
}

/** A range's rows are held until its blocks are read: DuckDB does not append while it streams on one connection. */
async function classifyInto(
  database: Database,
  { rawFolder, first, last, chain, contracts }: RangeJob,
  signal: AbortSignal,
): Promise<Notes> {
  const facts = chainFacts(chain, contracts);
  const events: ChainEvent[] = [];
  const movements: CoinMovement[] = [];
  const supplyChanges: SupplyChange[] = [];
  const ends: ProposalEnd[] = [];
  const shareRewards: ShareReward[] = [];
  const names: ValidatorName[] = [];
  const unclassified = new Map<string, number>();
  const unknownTypes = new Map<string, number>();
  const oversized: OversizedToken[] = [];
  const denomMetadata: DenomMetadata[] = [];
  for await (const block of tailBlocks(database, rawFolder, first, last, signal)) {
    const found = classifyBlock(block, facts);
    events.push(...found.events);
    movements.push(...found.movements);
    supplyChanges.push(...found.supplyChanges);
    ends.push(...found.proposalEnds);
    shareRewards.push(...found.shareRewards);
    names.push(...found.validatorNames);
    for (const { height, txHash, denom } of found.oversized) oversized.push({ height, tx_hash: txHash, denom });
    denomMetadata.push(...found.denomMetadata);
    add(unclassified, found.unclassified);
    add(unknownTypes, found.unknownTypes);
  }
  for (const table of RANGE_TABLES) await database.create(table);
  await database.append('chain_events', events);
  await database.append('coin_movements', movements);
  await database.append('supply_changes', supplyChanges);
  await database.append('proposal_ends', ends);
  await database.append('share_rewards', shareRewards);
  await database.append('validator_names', names);
  return {
    unclassified: Object.fromEntries(unclassified),
    unknownTypes: Object.fromEntries(unknownTypes),
    oversized,
    denomMetadata,
  };
}

function add(sums: Map<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}
