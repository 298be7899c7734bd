/**
 * An ordinary Koa server, for comparison. Usual packages provide request id, log, security headers, CORS, quota,
 * compression, router and ETag. The server sends the same response to every request, from memory and already
 * compressed.
 */
import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import compress from 'koa-compress';
import pino from 'pino';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { reportUsage } from './measured.js';
import { readStandIn } from './stand-in.js';

const QUOTA = 1e9;
const WINDOW_SECONDS = 60;
const OTHER_ROUTES = 40;

const log = pino(pino.destination({ dest: '/dev/null', minLength: 4096, sync: false }));
const limiter = new RateLimiterMemory({ points: QUOTA, duration: WINDOW_SECONDS });

const logRequests: Middleware = async (ctx, next) => {
  const began = performance.now();
  const requestId = ctx.get('X-Request-Id') || randomUUID();
  ctx.set('X-Request-Id', requestId);
  await next();
  const { method, path, status, length: bytes } = ctx;
  log.info({ request_id: requestId, method, path, status, bytes, ms: performance.now() - began });
};

const setSecurityHeaders: Middleware = (ctx, next) => {
  ctx.set({
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  });
  return next();
};

const chargeQuota: Middleware = async (ctx, next) => {
  const { remainingPoints, msBeforeNext } = await limiter.consume(ctx.ip);
  ctx.set({
    'RateLimit-Policy': `"tax";q=${QUOTA};w=${WINDOW_SECONDS}`,
    RateLimit: `"tax";r=${remainingPoints};t=${Math.ceil(msBeforeNext / 1000)}`,
    'X-RateLimit-Limit': String(QUOTA),
    'X-RateLimit-Remaining': String(remainingPoints),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + msBeforeNext) / 1000)),
  });
  return next();
};

const { port, path, headers: answer, body, gzip } = readStandIn();
const { vary, 'access-control-expose-headers': exposeHeaders, ...headers } = answer;
const router = new Router();
router.get(path, (ctx) => {
  ctx.set(headers);
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (vary !== undefined) ctx.vary(vary);
  if (!ctx.get('Accept-Encoding').includes('gzip')) {
    ctx.body = body;
    return;
  }
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = gzip;
});
for (let i = 0; i < OTHER_ROUTES; i++) {
  router.get(`/other/${i}/:id`, (ctx) => {
    ctx.body = ctx.params;
  });
}

const app = new Koa();
app
  .use(logRequests)
  .use(setSecurityHeaders)
  .use(cors({ origin: '*', exposeHeaders }));
app.use(chargeQuota).use(compress({ threshold: 1024, zstd: false }));
app.use(router.routes()).use(router.allowedMethods());
reportUsage();
app.listen(port, '127.0.0.1');
