/**
 * The outermost middleware: names the request, answers every error as a problem, writes one log line. Koa's own error
 * handling would wipe the headers and answer text, so nothing thrown gets past here, and responses are written on
 * Node's response itself.
 */
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { toJson } from '../../pipeline/json/exact-json.js';
import type { Context, Middleware } from '../context.js';
import { splitUrl } from '../http/request-input.js';
import { Problem, problemBody, problemHeaders } from '../problem.js';
import { reply } from '../reply.js';
import type { Routes } from '../routes.js';
import { standingHeaders } from '../standing-headers.js';
import { StoreUnavailable } from '../store/session.js';
import { loggedPath } from './logged-path.js';
import { requestId } from './request-id.js';

interface Options {
  readonly config: Config;
  readonly routes: Routes;
  readonly log: Logger;
}

export function boundary({ config, routes, log }: Options): Middleware {
  return async (ctx, next) => {
    const started = performance.now();
    begin(ctx, routes);
    try {
      await next();
    } catch (error) {
      answerError(ctx, error, config, log);
    }
    log.info({
      request_id: ctx.state.requestId,
      method: ctx.req.method,
      path: loggedPath(ctx.state.path, ctx.state.route),
      status: ctx.res.statusCode,
      bytes: ctx.state.bytes,
      ms: Math.round((performance.now() - started) * 1000) / 1000,
    });
  };
}

/** Of answers where no endpoint is. */
const NOWHERE = standingHeaders();

function begin(ctx: Context, routes: Routes): void {
  const { req, state } = ctx;
  ctx.respond = false;
  const { path, query } = splitUrl(req.url ?? '/');
  state.path = path;
  state.query = query;
  state.route = routes.get(path);
  state.requestId = requestId(req.headers['x-request-id']);
  state.bytes = 0;
  state.headers = ['X-Request-Id', state.requestId, ...(state.route?.standing ?? NOWHERE)];
}

/** Errors that only say that the client went away. */
const GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

export const isClientGone = (error: unknown) => GONE.has((error as NodeJS.ErrnoException)?.code ?? '');

function answerError(ctx: Context, error: unknown, config: Config, log: Logger): void {
  const { requestId: request_id, path, route } = ctx.state;
  if (isClientGone(error)) {
    log.debug({ request_id, err: error }, 'client went away');
    return;
  }
  if (!(error instanceof Problem))
    log.error({ request_id, path: loggedPath(path, route), err: error }, 'request failed');
  if (ctx.res.headersSent) {
    // Half an answer must not look like a whole one.
    ctx.res.destroy();
    return;
  }
  sendProblem(ctx, asProblem(error), config);
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) return new Problem('unavailable', 'accounts and keys cannot be looked up now');
  return new Problem('internal_error', 'the server could not answer');
}

function sendProblem(ctx: Context, problem: Problem, config: Config): void {
  const { state } = ctx;
  const { baseUrl, now } = config;
  const body = toJson(problemBody(problem, { baseUrl, path: state.path, requestId: state.requestId, now: now() }));
  state.bytes = Buffer.byteLength(body);
  const headers = Object.entries({ ...problemHeaders(problem), 'Content-Length': String(state.bytes) });
  reply(ctx, problem.status, headers.flat(), body);
}
