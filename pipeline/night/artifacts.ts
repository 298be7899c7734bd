/** Values that the steps in nightly.ts pass to each other. */
import type {
  Manifest,
  ManifestCorrections,
  ManifestTable,
  OversizedToken,
  OwnWallets,
} from '../../schemas/types.generated.js';
import type { Month } from '../base/duckdb/table-file.js';
import type { ArrivingBlocks } from '../chain/block-channel.js';
import type { Start } from '../holdings/start/starting-state.js';
import type { Notes } from './jobs/classify/classify-range.js';
import type { FoldEnd } from './jobs/fold/holdings-folder.js';
import type { Piece } from './pieces.js';

export interface StartingPoint extends Start {
  /** Folder with the results of the fold, which computes holdings block by block. */
  readonly folder: string;
}

/** The indexed blocks. Times are RFC 3339 in UTC. */
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

/** Folders with classified rows, one per block range, ascending. */
export interface ClassifiedRanges {
  /** Hash of the classifying program and its data. */
  readonly key: string;
  /** Blocks after the starting state and before the index. */
  readonly earlier: readonly string[];
  readonly indexed: readonly string[];
}

export interface FoldedHoldings extends FoldEnd {
  readonly folders: readonly string[];
}

type InDatabase = string;

export interface Artifacts {
  readonly state: StartingPoint | undefined;
  /** Like `state`. Undefined if no indexed block is later than the starting state. */
  readonly start: StartingPoint | undefined;
  readonly corrections: ManifestCorrections | null;
  /** Blocks that steps can already read while later blocks are being fetched. */
  readonly blocks: ArrivingBlocks;
  readonly span: Span;
  readonly block_times: InDatabase;
  readonly classified: ClassifiedRanges;
  readonly notes: Notes;
  readonly folded: FoldedHoldings | undefined;
  /** Small tables of all months (carry-facts.ts). */
  readonly facts: InDatabase;
  /** Small tables of all months that are made from priced events. */
  readonly figures: InDatabase;
  /** Pieces with the unsolicited receipts of each closed month. The database has the open month's receipts. */
  readonly closed_figures: readonly Piece[];
  /** Tables of holdings and balances; an empty list without a starting state. */
  readonly holdings: readonly InDatabase[];
  readonly accumulated: readonly OversizedToken[];
  /** What is proved of single wallets; undefined in a night of the whole chain. */
  readonly own_wallets: OwnWallets | undefined;
  readonly prices: InDatabase;
  readonly price_gaps: NonNullable<Manifest['price_gaps']>;
  /** A published file, whose rows are also a table in DuckDB. */
  readonly priced_events: ManifestTable;
  /** Pieces with priced_events and month_tables, one for each month. */
  readonly month_pieces: readonly Piece[];
  /** Pieces with ledger entries and closing positions, one for each month. */
  readonly replayed: readonly Piece[];
  /** Tables that are made from a month's blocks alone, besides priced_events. */
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
