/** Types of the values that the steps in nightly.ts pass to each other. */
import type {
  Manifest,
  ManifestCorrections,
  ManifestEdge,
  ManifestTable,
  OversizedToken,
  OwnWallets,
} from '../../schemas/types.generated.js';
import type { Month } from '../base/duckdb/table-file.js';
import type { ArrivingBlocks } from '../chain/block-channel.js';
import type { Start } from '../holdings/start/starting-state.js';
import type { Notes } from './jobs/classify/classify-range.js';
import type { FoldEnd } from './jobs/fold/holdings-folder.js';
import type { ComingPiece } from './jobs/run-jobs.js';
import type { Piece } from './pieces.js';

export interface StartingPoint extends Start {
  /** Folder with the results of the fold (the computation of holdings, block by block). */
  readonly folder: string;
}

/** The range of indexed blocks. Times are RFC 3339 in UTC. */
export interface Span {
  readonly first: number;
  readonly last: number;
  readonly firstTime: string;
  readonly lastTime: string;
  readonly months: readonly SpanMonth[];
}

export interface SpanMonth extends Month {
  /** Hash of the month's blocks. */
  readonly content: string;
}

/** Folders with classified rows, one per block range, in ascending order. */
export interface ClassifiedRanges {
  /** Hash of the code and data that classified the rows. */
  readonly key: string;
  /** Folders of classified blocks after the starting state and before the index. */
  readonly earlier: readonly string[];
  readonly indexed: readonly string[];
}

export interface FoldedHoldings extends FoldEnd {
  readonly folders: readonly string[];
}

type InDatabase = string;

export interface Artifacts {
  readonly state: StartingPoint | undefined;
  /** The same as `state`, but undefined if all indexed blocks are at or below the starting state's height. */
  readonly start: StartingPoint | undefined;
  readonly corrections: ManifestCorrections | null;
  /** Stored blocks. Steps can read the first blocks while later blocks are still being fetched. */
  readonly blocks: ArrivingBlocks;
  readonly span: Span;
  readonly block_times: InDatabase;
  readonly classified: ClassifiedRanges;
  readonly notes: Notes;
  readonly folded: FoldedHoldings | undefined;
  /** Database tables with facts of all months (carry-facts.ts). */
  readonly facts: InDatabase;
  /** Database tables with counts of all months, made from priced events. */
  readonly figures: InDatabase;
  /** Pieces with the unsolicited receipts of each closed month. The receipts of the open month are in the database. */
  readonly closed_figures: readonly Piece[];
  /** Tables of holdings and balances. The list is empty if there is no starting state. */
  readonly holdings: readonly InDatabase[];
  /** Pieces with the files of closed months of tables of holdings, one for each month. */
  readonly closed_holdings: readonly Piece[];
  readonly accumulated: readonly OversizedToken[];
  /** Results of the proofs of single wallets; undefined in a run over the whole chain. */
  readonly tracked_wallets: OwnWallets | undefined;
  /** Edges in the index at which unclaimed rewards are known. */
  readonly edges: readonly ManifestEdge[];
  readonly prices: InDatabase;
  readonly price_gaps: NonNullable<Manifest['price_gaps']>;
  readonly unreached_prices: NonNullable<Manifest['unreached_prices']>;
  readonly exchange_rates: InDatabase;
  /** A table of published files. DuckDB has the same rows as a table. */
  readonly priced_events: ManifestTable;
  /** Pieces with priced_events and month_tables, one for each month. */
  readonly month_pieces: readonly Piece[];
  /** Pieces with ledger entries and closing positions, one for each month. Other steps can use each when it is made. */
  readonly replayed: readonly ComingPiece[];
  /** Folders with the verdicts of the audits of each month. */
  readonly audited_months: readonly string[];
  /** Tables, besides priced_events, that need only the blocks of their month. */
  readonly month_tables: readonly ManifestTable[];
  readonly other_tables: readonly ManifestTable[];
  readonly denom_metadata: ManifestTable;
  readonly flagged_receipts: ManifestTable;
  readonly ledger_entries: ManifestTable;
  readonly closing_positions: ManifestTable;
  readonly audited_tables: readonly ManifestTable[];
  readonly wallet_index: string;
  readonly manifest: Manifest;
  readonly placed_index: string;
  readonly published: string;
  readonly releases: string | null;
}
