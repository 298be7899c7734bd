/**
 * The outermost middleware. Sets the request id and common headers, logs the request, and converts errors to problems.
 * Replaces Koa's error handler, which removes headers and responds with plain text.
 */
import { randomUUID } from 'node:crypto';
import type Koa from 'koa';
import type { Logger } from 'pino';
import { toJson } from '../../../pipeline/base/json/exact-json.js';
import type { Config } from '../../../pipeline/config.js';
import { LIMITS } from '../../http/limits.js';
import { Problem, problemBody, problemHeaders } from '../../http/problem.js';
import { reduceTarget } from '../../http/request-input.js';
import { acceptsPage, fillPage, HTML_TYPE, PAGE_POLICY, readPage } from '../../http/web-pages.js';
import { StoreUnavailable } from '../../people/store/session.js';
import type { Context, Middleware, RequestState } from '../context.js';
import type { AnyEndpoint } from '../endpoint.js';
import { PUBLIC_ACCESS } from './cors.js';
import type { Metrics } from './metrics.js';

export function everyRequest(config: Config, log: Logger, metrics: Metrics): Middleware {
  const headers = new Map(Object.entries(securityHeaders(config)));
  return async (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.req.headers['x-request-id']);
    const isTarget = reduceTarget(ctx.req);
    noteWhenClosed(ctx, log, metrics);
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    ctx.res.setHeaders(headers); // `ctx.set` copies and normalizes them first, which takes three times as long
    try {
      if (!isTarget) throw new Problem('bad_request', 'the request target must be a path or an http URL');
      await next();
    } catch (error) {
      answerError(ctx, error, config, log);
    }
  };
}

const WELL_FORMED = /^[A-Za-z0-9._-]{8,128}$/;

export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}

/** Content-Security-Policy of API responses. It keeps browsers from rendering them as pages. */
const DATA_ONLY = "default-src 'none'; frame-ancestors 'none'";
const YEAR_SECONDS = 365 * 86_400;

export const securityHeaders = ({ baseUrl }: Config): Readonly<Record<string, string>> => ({
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': DATA_ONLY,
  'Referrer-Policy': 'no-referrer',
  ...(baseUrl.startsWith('https:') && { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}` }),
});

function noteWhenClosed({ req, res, state, path }: Context, log: Logger, metrics: Metrics): void {
  const started = performance.now();
  const { method } = req;
  res.once('close', () => {
    const milliseconds = performance.now() - started;
    const { statusCode: status } = res;
    const route = state.endpoint?.path ?? 'none';
    const kept = state.isKept ? 'yes' : 'no';
    metrics.requests.observe({ route, status: `${Math.floor(status / 100)}xx`, kept }, milliseconds / 1000);
    log.info({
      request_id: state.requestId,
      method,
      path: loggedPath(path, state.endpoint),
      status,
      bytes: Number(res.getHeader('Content-Length') ?? state.streamedBytes ?? 0),
      ms: Math.round(milliseconds * 1000) / 1000,
    });
  });
}

const { loggedPath: LOGGED_MAX } = LIMITS.input;

/** Matches path segments that are as long as tokens or addresses. */
const TOKEN_LIKE = /[\w%~-]{32,}/g;

/**
 * Returns the path for the log without tokens: the endpoint's path with `{name}`, or the path without long segments.
 */
export const loggedPath = (path: string, endpoint: AnyEndpoint | undefined): string =>
  endpoint?.path ?? path.replace(TOKEN_LIKE, '…').slice(0, LOGGED_MAX.max);

const PROBLEM_PAGE = readPage('problem.html');

const CLIENT_GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

export const isClientGone = (error: unknown) => CLIENT_GONE.has((error as NodeJS.ErrnoException)?.code ?? '');

function answerError(ctx: Context, error: unknown, config: Config, log: Logger): void {
  if (isClientGone(error)) {
    breakOff(ctx, error, log);
    return;
  }
  // The store logs its outages itself.
  if (!(error instanceof Problem || error instanceof StoreUnavailable)) logFault(ctx, error, log);
  const problem = asProblem(error);
  const { baseUrl, now } = config;
  const { requestId } = ctx.state;
  ctx.status = problem.status;
  ctx.remove('ETag'); // the ETag belongs to the response that failed
  ctx.set(problemHeaders(problem));
  // Allows the page that embeds a report to read the problem, so that its console can show the reason. A problem
  // contains no user data.
  if (ctx.state.endpoint?.access === 'widget') ctx.set(PUBLIC_ACCESS);
  const body = problemBody(problem, { baseUrl, path: ctx.path, requestId, now: now() });
  const { forPeople } = ctx.state.endpoint ?? {};
  const isPage = (forPeople || !ctx.path.startsWith('/api/')) && acceptsPage(ctx.req.headers.accept);
  if (isPage) showProblem(ctx, body);
  else ctx.body = toJson(body);
}

interface Words {
  readonly heading?: string;
  readonly advice: string;
  readonly href: string;
  readonly action: string;
}

const REPORT = { href: '/', action: 'Go to the report' };
const WORDS: Readonly<Record<'sign-in' | 'request' | 'server', Words>> = {
  'sign-in': {
    heading: 'You are not signed in',
    advice: 'Please sign in again, in this or another way.',
    href: '/account',
    action: 'Go to sign-in',
  },
  request: { ...REPORT, advice: 'Check the address for typing errors.' },
  server: { ...REPORT, advice: 'Please try again in a few minutes.' },
};

function showProblem(ctx: Context, { status, title, detail, request_id }: ReturnType<typeof problemBody>): void {
  ctx.vary('Accept');
  ctx.set({ 'Content-Type': HTML_TYPE, 'Content-Security-Policy': PAGE_POLICY });
  const { heading = status === 404 ? 'Page not found' : title, ...words } = WORDS[wordsFor(ctx, status)];
  const texts = { status: String(status), title: heading, detail: sentence(detail), request_id, ...words };
  ctx.body = fillPage(PROBLEM_PAGE, texts);
}

function wordsFor({ state }: Context, status: number): keyof typeof WORDS {
  if (state.endpoint?.forPeople) return 'sign-in';
  return status < 500 ? 'request' : 'server';
}

const sentence = (text: string) => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) return new Problem('unavailable', 'accounts and keys cannot be looked up now');
  return new Problem('internal_error', 'the server could not answer');
}

function logFault({ state, path }: Context, err: unknown, log: Logger): void {
  log.error({ request_id: state.requestId, path: loggedPath(path, state.endpoint), err }, 'request failed');
}

/**
 * Closes the connection if a response fails after it has started, so that a partial response does not look complete.
 */
export function endBrokenAnswers(app: Koa<RequestState>, log: Logger): void {
  app.context.onerror = function (this: Context, error: Error | null) {
    if (error) breakOff(this, error, log);
  };
}

function breakOff(ctx: Context, error: unknown, log: Logger): void {
  if (isClientGone(error)) log.debug({ request_id: ctx.state.requestId, err: error }, 'client disconnected');
  else logFault(ctx, error, log);
  ctx.res.destroy();
}
