/** Messages between the server and the process that follows an upstream. */
import type { Config } from '../../config.js';

export interface FollowConfig
  extends Pick<Config, 'dataDir' | 'followUrl' | 'followKeys' | 'storeUrl' | 's3Endpoint' | 'cacheBytes'> {
  /** Time at which the server started, or HUBLEDGER_NOW, in milliseconds. */
  readonly startedAt: number;
}

export type FollowJob = { readonly follow: FollowConfig } | { readonly prepare: string; readonly dataDir: string };

export interface FollowState {
  readonly upstream: string;
  /** Current generation of the upstream; null until the upstream has responded. */
  readonly generation: string | null;
  /** Time when this folder last had the upstream's current generation, RFC 3339. */
  readonly last_success: string | null;
  /** Failed attempts since `last_success`. */
  readonly failures: number;
  readonly error: string | null;
  /** Fraction of the generation that has been fetched, from 0 to 1; null if no fetch is in progress. */
  readonly fetched: number | null;
}

export type FromFollower =
  | { readonly state: Partial<FollowState> }
  | { readonly log: 'info' | 'warn'; readonly text: string; readonly facts: object };
