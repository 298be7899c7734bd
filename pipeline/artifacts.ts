/** The values that the steps of a night hand to one another. */
import type { Manifest, ManifestCorrections, ManifestTable, OversizedToken } from '../schemas/types.generated.js';
import type { ArrivingBlocks } from './chain/tail-blocks.js';
import type { Start } from './holdings/start/start.js';
import type { Notes } from './jobs/classify/notes.js';
import type { FoldEnd } from './jobs/fold/holdings-folder.js';
import type { Month } from './publish/write-table.js';

/** The state that holdings are folded from. */
export interface StartingPoint extends Start {
  /** Folder in which the fold keeps what it found; see jobs/fold/holdings-folder.ts. */
  readonly folder: string;
}

/** Heights and times of the dataset, all inclusive. Times are RFC 3339 in UTC. */
export interface Span {
  readonly first: number;
  readonly last: number;
  readonly firstTime: string;
  readonly lastTime: string;
  readonly months: readonly Month[];
}

/** Folders with the classified rows of ranges of blocks, ascending. */
export interface ClassifiedRanges {
  /** Ranges before the index, from the first block after the starting state on. */
  readonly earlier: readonly string[];
  /** Ranges of the index. */
  readonly indexed: readonly string[];
}

/** The fold's rows, and how far they are proved. */
export interface FoldedHoldings extends FoldEnd {
  readonly folders: readonly string[];
}

/** The name of a table in the night's DuckDB: where it is handed over, its rows are there. */
type InDatabase = string;

export interface Artifacts {
  /** The starting state that the operator names. */
  readonly state: StartingPoint | undefined;
  /** The starting state that holdings begin with; undefined where the index has no block after it. */
  readonly start: StartingPoint | undefined;
  /** The operator's corrections of the fold; null without a file of them. */
  readonly corrections: ManifestCorrections | null;
  /** A channel: blocks that arrive on disk while they are read. */
  readonly blocks: ArrivingBlocks;
  readonly span: Span;
  /** The table `blocks`. */
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
  /** Tables of holdings and balances; none without a starting state. */
  readonly holdings: readonly InDatabase[];
  /** Tokens that are in no table, since their amounts add up to more than one holds. */
  readonly accumulated: readonly OversizedToken[];
  readonly prices: InDatabase;
  /** Path of the rows of priced_events, a file of wallet batches. */
  readonly event_lines: string;
  /** Tables as they lie in the generation's folder; this one and denom_metadata are read from DuckDB, too. */
  readonly priced_events: ManifestTable;
  readonly other_tables: readonly ManifestTable[];
  readonly denom_metadata: ManifestTable;
  readonly flagged_receipts: ManifestTable;
  readonly ledger_entries: ManifestTable;
  readonly closing_positions: ManifestTable;
  /** Every table of the generation; no audit contradicts them. */
  readonly audited_tables: readonly ManifestTable[];
  /** Folder of the wallet index in the making. */
  readonly wallet_index: string;
  /** The manifest as it lies in the sealed generation. */
  readonly manifest: Manifest;
  /** Id of the generation whose wallet index has its name. */
  readonly placed_index: string;
  /** Id of the generation in force. */
  readonly published: string;
  /** The fault of the watch for releases; null without one. */
  readonly releases: string | null;
}
