/** What every step of a night can use besides its inputs. */

import type { Database } from '../base/duckdb/database.js';
import type { Config } from '../config.js';
import type { Reference } from '../reference.js';
import type { Healing } from './jobs/chain/healing.js';

export interface NightOptions {
  /** First height; default: the first block of the configured day. */
  readonly from?: number | undefined;
  /** Last height or UTC day (YYYY-MM-DD), inclusive. */
  readonly until?: number | string | undefined;
  /**
   * Number of classification threads. With 0, reading and replay use the main thread too, which is faster for short
   * chains.
   */
  readonly workers: number;
  /** Runs one step at a time, so that a benchmark can measure each. */
  readonly isSerial?: boolean | undefined;
  /** Publishes even if the new generation lacks data of the current one. */
  readonly allowLoss?: boolean | undefined;
}

export interface Night {
  readonly config: Config;
  readonly reference: Reference;
  readonly options: NightOptions;
  /** Network id that the node must report. */
  readonly nodeChainId: string;
  /** Folder of the unfinished generation. */
  readonly folder: string;
  /** Folder of its unfinished wallet index. */
  readonly indexFolder: string;
  /** Fetches blocks again if something contradicts them. */
  readonly healing: Healing;
}

/** Reports progress and messages of one step. */
export interface StepProgress {
  update(done: number, total: number): void;
  /** Reports a message. */
  say(text: string, facts?: Record<string, unknown>): void;
}

export interface StepContext extends Night {
  /** The step's own connection. */
  readonly database: Database;
  readonly progress: StepProgress;
  /** Aborted if another step fails. */
  readonly signal: AbortSignal;
}
