/** Headers of every answer, whatever becomes of the request: its id, and those that keep answers from being run, embedded or told of. */
import { randomUUID } from 'node:crypto';
import type { Config } from '../../pipeline/config.js';
import type { Middleware } from '../context.js';

const WELL_FORMED = /^[A-Za-z0-9._-]{8,128}$/;

/** The caller's own X-Request-Id when it is well formed, else a new one. An ill-formed id is never reflected. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}

/** An answer of the API is data: whatever it holds, no browser shows it as a page or in one. */
const DATA_ONLY = "default-src 'none'; frame-ancestors 'none'";
const YEAR_SECONDS = 365 * 86_400;

/** Makes the headers of every answer; they tell browsers to come by https from now on, where the service has it. */
export const securityHeaders = ({ baseUrl }: Config): Readonly<Record<string, string>> => ({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': DATA_ONLY,
  'Referrer-Policy': 'no-referrer',
  ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` }),
});

export function standingHeaders(config: Config): Middleware {
  const headers = securityHeaders(config);
  return (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.req.headers['x-request-id']);
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set(headers);
    return next();
  };
}
