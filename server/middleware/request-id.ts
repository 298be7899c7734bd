/** X-Request-Id: the caller's own when it is well formed, else a new one. */
import { randomUUID } from 'node:crypto';
import type { Middleware } from '../context.js';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,128}$/;

/** An ill-formed id is replaced, never reflected. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}

export const requestId: Middleware = (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.req.headers['x-request-id']);
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};
