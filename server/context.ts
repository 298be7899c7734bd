/** The Koa context as the middlewares of this server see it. */
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Config } from '../pipeline/config.js';
import type { Caller } from './accounts/caller.js';
import type { WidgetKey } from './accounts/widget-keys.js';
import type { Networks } from './contracts/networks.js';
import type { Datasets } from './dataset/dataset-holder.js';
import type { AnyEndpoint } from './endpoint.js';
import type { Problem } from './problem.js';
import type { Store } from './store/store.js';

/** Sources of answers. */
export interface Services {
  readonly config: Config;
  readonly datasets: Datasets;
  readonly store: Store;
  readonly networks: Networks;
  readonly lifecycle: Lifecycle;
}

/** State of the server on its way from start to end. */
export interface Lifecycle {
  /** Whether it is about to end: it answers what comes, and wants nothing more. */
  isEnding: boolean;
}

/** A content coding in which bodies go out. */
export type Coding = 'gzip' | 'br' | 'identity';

/** The state that the middlewares of one request share. */
export interface RequestState {
  requestId: string;
  /** The endpoint of the path; of several methods the first. Undefined where none is. */
  endpoint?: AnyEndpoint;
  /** Undefined where no valid key or session was sent. */
  caller?: Caller;
  /** Token of the caller's session. */
  session?: string;
  /** The key of the page that embeds the answer; undefined where none was admitted. */
  widget?: WidgetKey;
  /** The problem that answers a bad key, once the request is charged to somebody. */
  refusal?: Problem;
  /** The content coding that the client wants most of those on offer. */
  coding: Coding;
  /** Bytes of a body without Content-Length that have gone out so far, uncompressed. */
  streamedBytes?: number;
  /** Whether the response cache had the answer. */
  isKept?: boolean;
}

/** Members that middlewares of other packages add to the context. */
interface Additions {
  /** The decoded `{name}` segments of the path. */
  params?: Record<string, string>;
  /** False: koa-compress leaves the body as it is. */
  compress?: boolean;
}

export type Context = ParameterizedContext<RequestState, Additions>;
export type Middleware = KoaMiddleware<RequestState, Additions>;
