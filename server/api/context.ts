/** The Koa context with the state of this server. */
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Config } from '../../pipeline/config.js';
import type { Problem } from '../http/problem.js';
import type { Caller } from '../people/accounts/caller.js';
import type { WidgetKey } from '../people/accounts/widget-keys.js';
import type { Networks } from '../people/contracts/networks.js';
import type { Store } from '../people/store/store.js';
import type { Datasets } from '../tax/dataset/dataset-holder.js';
import type { AnyEndpoint } from './endpoint.js';

export interface Services {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly networks: Networks;
  readonly lifecycle: Lifecycle;
}

export interface Lifecycle {
  /** Whether it is shutting down; it still answers requests. */
  isEnding: boolean;
}

export type Coding = 'gzip' | 'br' | 'identity';

export interface RequestState {
  requestId: string;
  /** Endpoint of the path, for its first method. */
  endpoint?: AnyEndpoint;
  /** Undefined without a valid key or session. */
  caller?: Caller;
  /** Session token. */
  session?: string;
  /** Admitted widget key. */
  widget?: WidgetKey;
  /** Refusal of a bad key, sent after the request is charged. */
  refusal?: Problem;
  /** Negotiated content coding. */
  coding: Coding;
  /** Bytes of a body without Content-Length that have gone out so far, uncompressed. */
  streamedBytes?: number;
  /** Whether the response came from the cache. */
  isKept?: boolean;
}

/** Members that other packages add. */
interface Additions {
  /** Decoded `{name}` segments of the path. */
  params?: Record<string, string>;
  /** False disables koa-compress. */
  compress?: boolean;
}

export type Context = ParameterizedContext<RequestState, Additions>;
export type Middleware = KoaMiddleware<RequestState, Additions>;
