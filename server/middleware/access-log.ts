/** One log line a request, when its answer is out or its client gone. */
import type { Logger } from 'pino';
import type { Middleware } from '../context.js';
import type { AnyEndpoint } from '../endpoint.js';

export function accessLog(log: Logger): Middleware {
  return (ctx, next) => {
    const started = performance.now();
    const { req, res, state, path } = ctx;
    const { method } = req;
    res.once('close', () => {
      log.info({
        request_id: state.requestId,
        method,
        path: loggedPath(path, state.endpoint),
        status: res.statusCode,
        bytes: Number(res.getHeader('Content-Length') ?? state.streamedBytes ?? 0),
        ms: Math.round((performance.now() - started) * 1000) / 1000,
      });
    });
    return next();
  };
}

/** Segments as long as tokens are, and addresses. */
const LONG = /[\w%~-]{32,}/g;

/** A token in a path is a secret: an endpoint's path stands with its `{name}`, any other without long segments. */
export const loggedPath = (path: string, endpoint: AnyEndpoint | undefined): string =>
  endpoint?.path ?? path.replace(LONG, '…');
