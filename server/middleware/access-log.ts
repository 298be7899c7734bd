/** One log line a request, when its answer is out or its client gone. */
import type { Logger } from 'pino';
import type { Middleware } from '../context.js';
import { loggedPath } from './logged-path.js';

export function accessLog(log: Logger): Middleware {
  return (ctx, next) => {
    const started = performance.now();
    const { req, res, state } = ctx;
    const { method } = req;
    const { path } = ctx;
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
