import Koa from 'koa';
import { isLoopback } from '../http/client-address.js';
import { CACHE_CONTROL } from '../http/etag.js';
import { pathOf } from '../http/request-input.js';
import type { Middleware } from './context.js';
import type { Metrics } from './middleware/metrics.js';

const METHODS = ['GET', 'HEAD'];

const metricsPage =
  (metrics: Metrics): Middleware =>
  async (ctx, next) => {
    if (pathOf(ctx.req.url!) !== '/metrics' || !METHODS.includes(ctx.method)) return next();
    const { type, text } = await metrics.text();
    ctx.set({ 'Content-Type': type, 'Cache-Control': CACHE_CONTROL.none });
    ctx.body = text;
  };

/** Serves metrics only to clients on this machine. Ignores X-Forwarded-For, because clients can forge it. */
export function localMetricsPage(metrics: Metrics): Middleware {
  const page = metricsPage(metrics);
  return (ctx, next) => {
    const addresses = [ctx.req.socket.remoteAddress ?? '', ...ctx.ips];
    return addresses.every(isLoopback) ? page(ctx, next) : next();
  };
}

export function metricsApp(metrics: Metrics): Koa {
  const koa = new Koa();
  koa.use(metricsPage(metrics) as Koa.Middleware);
  return koa;
}
