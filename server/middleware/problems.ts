/**
 * Problems for everything that is thrown. Koa's own error handler would wipe the headers and answer plain text, so no error of a
 * middleware gets past here, and what breaks off later only ends its socket.
 */
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { toJson } from '../../pipeline/json/exact-json.js';
import type { Context, Middleware, RequestState } from '../context.js';
import { Problem, problemBody, problemHeaders } from '../problem.js';
import { StoreUnavailable } from '../store/session.js';
import { loggedPath } from './access-log.js';

export function problems(config: Config, log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      answerError(ctx, error, config, log);
    }
  };
}

/** Codes of errors that only say that the client went away. */
const CLIENT_GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

export const isClientGone = (error: unknown) => CLIENT_GONE.has((error as NodeJS.ErrnoException)?.code ?? '');

function answerError(ctx: Context, error: unknown, config: Config, log: Logger): void {
  if (isClientGone(error)) {
    breakOff(ctx, error, log);
    return;
  }
  if (!(error instanceof Problem)) logFault(ctx, error, log);
  const problem = asProblem(error);
  const { baseUrl, now } = config;
  const { requestId } = ctx.state;
  ctx.status = problem.status;
  ctx.remove('ETag'); // of the answer that was about to go out
  ctx.set(problemHeaders(problem));
  ctx.body = toJson(problemBody(problem, { baseUrl, path: ctx.path, requestId, now: now() }));
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) return new Problem('unavailable', 'accounts and keys cannot be looked up now');
  return new Problem('internal_error', 'the server could not answer');
}

function logFault({ state, path }: Context, err: unknown, log: Logger): void {
  log.error({ request_id: state.requestId, path: loggedPath(path, state.endpoint), err }, 'request failed');
}

/** Takes the place of Koa's own handler for bodies that fail while they go out: half an answer must not look like a whole one. */
export function endBrokenAnswers(app: Koa<RequestState>, log: Logger): void {
  app.context.onerror = function (this: Context, error: Error | null) {
    if (error) breakOff(this, error, log);
  };
}

function breakOff(ctx: Context, error: unknown, log: Logger): void {
  if (isClientGone(error)) log.debug({ request_id: ctx.state.requestId, err: error }, 'client went away');
  else logFault(ctx, error, log);
  ctx.res.destroy();
}
