/** The metrics for whoever collects them: at /metrics of the service, or of a port of their own. */
import Koa from 'koa';
import type { Middleware } from '../context.js';
import { CACHE_CONTROL } from '../http/etag.js';
import type { Metrics } from '../middleware/metrics.js';
import type { OtherPaths } from './routers.js';

const METHODS = ['GET', 'HEAD'];

export const METRICS: OtherPaths = { has: (path) => path === '/metrics', allow: METHODS.join(', ') };

export const metricsPage =
  (metrics: Metrics): Middleware =>
  async (ctx, next) => {
    if (!METRICS.has(ctx.path) || !METHODS.includes(ctx.method)) return next();
    const { type, text } = await metrics.text();
    ctx.set({ 'Content-Type': type, 'Cache-Control': CACHE_CONTROL.none });
    ctx.body = text;
  };

/** An application of the metrics alone: what operators see need not be where everybody asks. */
export function metricsApp(metrics: Metrics): Koa {
  const koa = new Koa();
  koa.use(metricsPage(metrics) as Koa.Middleware);
  return koa;
}
