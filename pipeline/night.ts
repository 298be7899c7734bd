/** The night as its steps see it: all that they work with beside the values that they hand to one another. */
import type { Config } from './config.js';
import type { Database } from './duckdb/database.js';
import type { Healing } from './jobs/chain/healing.js';
import type { Reference } from './reference.js';

export interface NightOptions {
  /** First height, in place of the first block of the configured day. */
  readonly from?: number | undefined;
  /** Last height, or last UTC day (YYYY-MM-DD), inclusive. */
  readonly until?: number | string | undefined;
  /** Threads that classify. With 0 blocks are read and wallets replayed without one, too: a short chain is not worth their start. */
  readonly workers: number;
  /** Publishes also what takes away from the generation in force. */
  readonly allowLoss?: boolean | undefined;
}

/** Everything that is known when the night begins. */
export interface Night {
  readonly config: Config;
  readonly reference: Reference;
  readonly options: NightOptions;
  /** Network id that the node must report: the configured one, else the chain file's. */
  readonly nodeChainId: string;
  /** Folder of the generation in the making. */
  readonly folder: string;
  /** Folder of its wallet index in the making. */
  readonly indexFolder: string;
  /** Asks nodes again for blocks that something contradicts. */
  readonly healing: Healing;
}

/** The voice of one step: its progress, and messages. */
export interface StepProgress {
  /** Says how far the step is. */
  update(done: number, total: number): void;
  /** Says something to know beside the steps. */
  say(text: string, facts?: Record<string, unknown>): void;
}

/** The context that one step of the night works with. */
export interface StepContext extends Night {
  /** A connection of its own to the night's tables. */
  readonly database: Database;
  readonly progress: StepProgress;
  /** Aborted when another step has failed. */
  readonly signal: AbortSignal;
}
