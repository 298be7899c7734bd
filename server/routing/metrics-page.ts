/** The metrics for whoever collects them: at /metrics of the service, or of a port of their own. */
import Koa from 'koa';
import type { Middleware } from '../context.js';
import { isLoopback } from '../http/client-address.js';
import { CACHE_CONTROL } from '../http/etag.js';
import { pathOf } from '../http/request-input.js';
import type { Metrics } from '../middleware/metrics.js';

const METHODS = ['GET', 'HEAD'];

const metricsPage =
  (metrics: Metrics): Middleware =>
  async (ctx, next) => {
    if (pathOf(ctx.req.url!) !== '/metrics' || !METHODS.includes(ctx.method)) return next();
    const { type, text } = await metrics.text();
    ctx.set({ 'Content-Type': type, 'Cache-Control': CACHE_CONTROL.none });
    ctx.body = text;
  };

/** Serves the metrics on the service's own port to callers on this machine, whatever a proxy in front says of itself; others find nothing. */
export function ownMetricsPage(metrics: Metrics): Middleware {
  const page = metricsPage(metrics);
  return (ctx, next) => {
    const addresses = [ctx.req.socket.remoteAddress ?? '', ...ctx.ips];
    return addresses.every(isLoopback) ? page(ctx, next) : next();
  };
}

/** An application of the metrics alone: what operators see need not be where everybody asks. */
export function metricsApp(metrics: Metrics): Koa {
  const koa = new Koa();
  koa.use(metricsPage(metrics) as Koa.Middleware);
  return koa;
}
