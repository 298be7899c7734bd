/** What the steps of a night share. */
import type { Manifest, ManifestTable } from '../schemas/types.generated.js';
import type { Config } from './config.js';
import type { Database } from './duckdb/database.js';
import type { Start } from './holdings/start/start.js';
import type { Notes } from './jobs/classify/notes.js';
import type { Underway } from './jobs/run-jobs.js';
import type { Progress } from './progress.js';
import type { Month } from './publish/write-table.js';
import type { Reference } from './reference.js';

export interface NightOptions {
  /** First height, in place of the first block of the configured day. */
  readonly from?: number | undefined;
  /** Last height, or last UTC day (YYYY-MM-DD), inclusive. */
  readonly until?: number | string | undefined;
  /** Threads that classify. */
  readonly workers: number;
}

/** The state that holdings are folded from. */
export interface StartingPoint extends Start {
  /** Where the fold keeps what it found. */
  readonly folder: string;
}

/** Heights and times of the dataset, all inclusive. Times are RFC 3339 in UTC. */
export interface Span {
  /** The first block after the starting state, which may lie before the index; without such a state the index's first. */
  readonly from: number;
  readonly first: number;
  readonly last: number;
  readonly firstTime: string;
  readonly lastTime: string;
  readonly months: readonly Month[];
}

/** One night under way. A member without a value is made by a step, and read only by later ones. */
export class Night {
  /** Undefined without a starting state: there are no holdings then. */
  start: StartingPoint | undefined;
  /** Blocks being indexed, and holdings folded. */
  chain: Underway | undefined;
  /** Under way, or over; begins while blocks are still being indexed. */
  classification: Underway | undefined;
  /** The journal's; begins as soon as priced_events is written. */
  replay: Underway | undefined;
  /** The dataset's blocks; made by the step that indexes. */
  span!: Span;
  /** Made by classification. */
  notes!: Notes;
  /** Entries of the manifest, each written by the step that makes the table. */
  readonly tables: ManifestTable[] = [];
  /** Made when everything is written. */
  manifest!: Manifest;

  constructor(
    readonly config: Config,
    readonly reference: Reference,
    readonly options: NightOptions,
    /** The tables of this night by name. */
    readonly database: Database,
    readonly progress: Progress,
    /** Folder of the generation in the making. */
    readonly folder: string,
    /** Folder of its wallet store in the making. */
    readonly storeFolder: string,
  ) {}

  /** Network id that the node must report: the configured one, else the chain file's. */
  get nodeChainId(): string {
    return this.config.nodeChainId ?? this.reference.chain.node_chain_id;
  }
}

/** One step of the night: what it reads, what it leaves behind, and how. Each may be killed at any moment and run again. */
export interface Step {
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  run(night: Night): Promise<void>;
}
