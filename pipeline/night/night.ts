import type { Database } from '../base/duckdb/database.js';
import type { Config } from '../config.js';
import type { Reference } from '../reference.js';
import type { Healing } from './jobs/chain/healing.js';

export interface NightOptions {
  /** First height. If undefined, the first block of the configured day. */
  readonly from?: number | undefined;
  /** Last height, or last UTC day (YYYY-MM-DD). */
  readonly until?: number | string | undefined;
  /**
   * Number of threads for classification. If 0, the main thread also reads and replays, which is faster for short
   * chains.
   */
  readonly workers: number;
  /** Runs one step at a time, so that a benchmark can measure each. */
  readonly isSerial?: boolean | undefined;
  /** If true, the run publishes even a generation that lacks data of the current one. */
  readonly allowLoss?: boolean | undefined;
}

export interface Night {
  readonly config: Config;
  readonly reference: Reference;
  readonly options: NightOptions;
  readonly nodeChainId: string;
  readonly folder: string;
  readonly indexFolder: string;
  readonly healing: Healing;
}

export interface StepProgress {
  update(done: number, total: number): void;
  say(text: string, facts?: Record<string, unknown>): void;
}

export interface StepContext extends Night {
  /** The step's own connection. */
  readonly database: Database;
  readonly progress: StepProgress;
  readonly signal: AbortSignal;
}
