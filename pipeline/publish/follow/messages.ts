/** Messages between the server and the process that follows an upstream. */
import type { Config } from '../../config.js';

export type FollowConfig = Pick<Config, 'dataDir' | 'followUrl' | 'storeUrl' | 's3Endpoint' | 'cacheBytes'>;

export type FollowJob = { readonly follow: FollowConfig } | { readonly prepare: string; readonly dataDir: string };

export interface FollowState {
  readonly upstream: string;
  /** Generation in force at the upstream; null until it has answered. */
  readonly generation: string | null;
  /** Time when this folder last had the upstream's generation in force, RFC 3339. */
  readonly last_success: string | null;
  /** Failed attempts since then. */
  readonly failures: number;
  readonly error: string | null;
  /** Share of the generation that is here, from 0 to 1; null if nothing is being fetched. */
  readonly fetched: number | null;
}

export type FromFollower =
  | { readonly state: Partial<FollowState> }
  | { readonly log: 'info' | 'warn'; readonly text: string; readonly facts: object };
