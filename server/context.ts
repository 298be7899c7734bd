/** What the middlewares of one request share. */
import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { Caller } from './accounts/caller.js';
import type { WidgetKey } from './accounts/widget-keys.js';
import type { Problem } from './problem.js';
import type { MountedRoute } from './routes.js';

export interface RequestState {
  requestId: string;
  /** Path as sent, without its query. */
  path: string;
  query: string;
  /** Undefined where no endpoint is. */
  route: MountedRoute | undefined;
  /** Undefined where no valid key or session was sent. */
  caller?: Caller;
  /** The key of the page that embeds the answer; undefined where none was admitted. */
  widget?: WidgetKey;
  /** What a bad key is answered with. */
  refusal?: Problem;
  /** Names and values in turn: what every answer to this request carries, whatever becomes of it. */
  headers: string[];
  /** Bytes of the body that went out. */
  bytes: number;
}

export type Context = ParameterizedContext<RequestState>;
export type Middleware = KoaMiddleware<RequestState>;
