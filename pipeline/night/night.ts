import type { Database } from '../base/duckdb/database.js';
import type { Config } from '../config.js';
import type { NightStore } from '../publish/store/night-store.js';
import type { Reference } from '../reference.js';
import type { Healing } from './jobs/chain/healing.js';
import type { Executor } from './jobs/run-jobs.js';
import type { Pieces } from './pieces.js';

export interface NightOptions {
  /** First height to index. If undefined, the run begins with the first block of the configured day. */
  readonly from?: number | undefined;
  readonly until?: number | string | undefined;
  /** Number of threads for jobs. If 0, the main thread does all work, which is faster for short chains. */
  readonly workers: number;
  readonly isSerial?: boolean | undefined;
  /** If true, the run publishes a generation even if it lacks data that the current generation has. */
  readonly allowLoss?: boolean | undefined;
  /** If true, the run makes all pieces again and compares them with the pieces on disk. */
  readonly full?: boolean | undefined;
  /** If true, the run publishes a generation even if amounts of closed months change. */
  readonly allowRestatement?: boolean | undefined;
  /** Maximum wait for an unreachable object store. Default: STORE_PATIENCE_MS. */
  readonly storePatienceMs?: number | undefined;
}

export interface Night {
  readonly config: Config;
  readonly reference: Reference;
  readonly options: NightOptions;
  readonly nodeChainId: string;
  /** Hash of the code and the reviewed data that make the dataset. */
  readonly program: string;
  readonly folder: string;
  readonly indexFolder: string;
  readonly healing: Healing;
  readonly pieces: Pieces;
  readonly executor: Executor;
  /** The object store to which the run publishes in addition to the data folder. */
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
