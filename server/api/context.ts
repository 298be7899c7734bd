import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Config } from '../../pipeline/config.js';
import type { Networks } from '../contracts/networks.js';
import type { Problem } from '../http/problem.js';
import type { WidgetKey } from '../people/accounts/widget-keys.js';
import type { Store } from '../people/store/store.js';
import type { Datasets } from '../tax/dataset/dataset-holder.js';
import type { AnyEndpoint, Caller } from './endpoint.js';

export interface Services {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly networks: Networks;
  readonly lifecycle: Lifecycle;
}

export interface Lifecycle {
  /** True while the server is shutting down. The server still answers requests then. */
  isEnding: boolean;
}

export type Coding = 'gzip' | 'br' | 'identity';

export interface RequestState {
  requestId: string;
  /**
   * The endpoint of the request's path. If the path has several endpoints, this is the endpoint of its first method.
   */
  endpoint?: AnyEndpoint;
  caller?: Caller;
  session?: string;
  widget?: WidgetKey;
  refusal?: Problem;
  coding: Coding;
  /** Uncompressed bytes sent so far. Set only if the body has no Content-Length. */
  streamedBytes?: number;
  /** True if the response came from a cache. */
  isKept?: boolean;
}

/** Members that packages with middleware add to the context. */
interface Additions {
  params?: Record<string, string>;
  compress?: boolean;
}

export type Context = ParameterizedContext<RequestState, Additions>;
export type Middleware = KoaMiddleware<RequestState, Additions>;
