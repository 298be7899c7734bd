/** Values passed between the steps of a night. */
import type { Manifest, ManifestCorrections, ManifestTable, OversizedToken } from '../../schemas/types.generated.js';
import type { ArrivingBlocks } from '../chain/block-channel.js';
import type { Start } from '../holdings/start/starting-state.js';
import type { Month } from '../publish/write-table.js';
import type { Notes } from './jobs/classify/classify-range.js';
import type { FoldEnd } from './jobs/fold/holdings-folder.js';

/** The starting state of the fold. */
export interface StartingPoint extends Start {
  /** Work folder of the fold; see jobs/fold/holdings-folder.ts. */
  readonly folder: string;
}

/** First and last block, inclusive. Times are RFC 3339 in UTC. */
export interface Span {
  readonly first: number;
  readonly last: number;
  readonly firstTime: string;
  readonly lastTime: string;
  readonly months: readonly Month[];
}

/** Folders of classified rows by block range, ascending. */
export interface ClassifiedRanges {
  /** Ranges after the starting state and before the index. */
  readonly earlier: readonly string[];
  readonly indexed: readonly string[];
}

export interface FoldedHoldings extends FoldEnd {
  readonly folders: readonly string[];
}

/** Name of a table in the night's DuckDB database. */
type InDatabase = string;

export interface Artifacts {
  /** The configured starting state. */
  readonly state: StartingPoint | undefined;
  /** The starting state in use; undefined if no indexed block follows it. */
  readonly start: StartingPoint | undefined;
  /** Null without a corrections file. */
  readonly corrections: ManifestCorrections | null;
  /** A channel: steps read blocks while they are still being fetched. */
  readonly blocks: ArrivingBlocks;
  readonly span: Span;
  readonly block_times: InDatabase;
  readonly classified: ClassifiedRanges;
  readonly notes: Notes;
  /** Undefined without a starting state. */
  readonly folded: FoldedHoldings | undefined;
  readonly chain_events: InDatabase;
  readonly coin_movements: InDatabase;
  readonly supply_changes: InDatabase;
  readonly transactions: InDatabase;
  readonly share_rewards: InDatabase;
  readonly validators: InDatabase;
  /** Tables of holdings and balances; empty without a starting state. */
  readonly holdings: readonly InDatabase[];
  /** Tokens left out of all tables because their sums exceed a column's range. */
  readonly accumulated: readonly OversizedToken[];
  readonly prices: InDatabase;
  /** Path of the priced_events rows, a file of wallet batches. */
  readonly event_lines: string;
  /** Files of the generation. priced_events and denom_metadata are in DuckDB too. */
  readonly priced_events: ManifestTable;
  readonly other_tables: readonly ManifestTable[];
  readonly denom_metadata: ManifestTable;
  readonly flagged_receipts: ManifestTable;
  readonly ledger_entries: ManifestTable;
  readonly closing_positions: ManifestTable;
  /** All tables, after every audit has passed. */
  readonly audited_tables: readonly ManifestTable[];
  /** Folder of the unfinished wallet index. */
  readonly wallet_index: string;
  /** The manifest of the sealed generation. */
  readonly manifest: Manifest;
  /** Generation whose wallet index is in its final place. */
  readonly placed_index: string;
  /** The current generation's id. */
  readonly published: string;
  /** Error of the release watcher, or null. */
  readonly releases: string | null;
}
