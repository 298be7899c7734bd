import type { Database } from '../base/duckdb/database.js';
import type { Config } from '../config.js';
import type { NightStore } from '../publish/store/night-store.js';
import type { Reference } from '../reference.js';
import type { Healing } from './jobs/chain/healing.js';
import type { Executor } from './jobs/run-jobs.js';
import type { Pieces } from './pieces.js';

export interface NightOptions {
  /** First height of the run. If undefined, the first block of the configured day. */
  readonly from?: number | undefined;
  readonly until?: number | string | undefined;
  /** Threads for jobs. If 0, the main thread does all work, which is faster for short chains. */
  readonly workers: number;
  readonly isSerial?: boolean | undefined;
  /** If true, the run publishes a generation even if it lacks data that the current generation has. */
  readonly allowLoss?: boolean | undefined;
  /** If true, all pieces are made again and compared with those on disk. */
  readonly full?: boolean | undefined;
  /** If true, the run publishes a generation even if it changes figures of closed months. */
  readonly allowRestatement?: boolean | undefined;
  /** How long the run waits while the object store is unreachable. Default: STORE_PATIENCE_MS. */
  readonly storePatienceMs?: number | undefined;
}

export interface Night {
  readonly config: Config;
  readonly reference: Reference;
  readonly options: NightOptions;
  readonly nodeChainId: string;
  readonly folder: string;
  readonly indexFolder: string;
  readonly healing: Healing;
  readonly pieces: Pieces;
  readonly executor: Executor;
  /** The object store to publish to, besides the data folder. */
  readonly store: NightStore | undefined;
}

export interface StepProgress {
  update(done: number, total: number): void;
  say(text: string, facts?: Record<string, unknown>): void;
}

export interface StepContext extends Night {
  readonly database: Database;
  readonly progress: StepProgress;
  readonly signal: AbortSignal;
}
