/** Mounts endpoints on one router per API area, with their middleware and an answer for each method. */
import { METHODS } from 'node:http';
import Router from '@koa/router';
import compose from 'koa-compose';
import type { Config } from '../../pipeline/config.js';
import { deprecationHeaders, requireNotGone, requireNotice } from '../http/deprecation.js';
import { Problem } from '../http/problem.js';
import { requireWellFormed } from '../http/request-input.js';
import { requireCaller } from '../people/accounts/caller.js';
import type { Middleware, Services } from './context.js';
import type { AnyEndpoint } from './endpoint.js';
import { authenticate } from './middleware/authenticate.js';
import { cors, isPreflight, PUBLIC_ACCESS, preflightHeaders } from './middleware/cors.js';
import { httpsOnly } from './middleware/https-only.js';
import { limitAddress, type Quotas, rateLimit } from './quotas/quotas.js';

export interface ServedPath {
  /** Undefined for files and metrics. */
  readonly endpoint?: AnyEndpoint;
  /** As in the header Allow. */
  readonly allow: string;
}

type MountedPath = Required<ServedPath>;

/** Paths of middleware, not of endpoints. */
export interface OtherPaths extends ServedPath {
  has(path: string): boolean;
}

export interface Routing {
  readonly middlewares: readonly Middleware[];
  find(path: string): ServedPath | undefined;
}

interface Sources extends Pick<Services, 'config' | 'store'> {
  readonly endpoints: readonly AnyEndpoint[];
  readonly others: readonly OtherPaths[];
  /** Undefined if rate limits are off. */
  readonly quotas: Quotas | undefined;
}

/**
 * @param answer returns the last middleware of an endpoint
 * @throws Error if two endpoints have the same method and path, or an endpoint ends too early
 */
export function mountEndpoints(sources: Sources, answer: (endpoint: AnyEndpoint) => Middleware): Routing {
  const routers = new Map<string, Router>();
  const paths = new Map<string, MountedPath>();
  for (const path of new Set(sources.endpoints.map((endpoint) => endpoint.path))) {
    const same = sources.endpoints.filter((endpoint) => endpoint.path === path);
    const router = routers.get(areaOf(path)) ?? new Router({ sensitive: true, strict: true });
    routers.set(areaOf(path), router);
    const pattern = patternOf(path);
    const answered = same.flatMap(methodsOf);
    if (new Set(answered).size < answered.length) throw new Error(`two endpoints answer the same method at ${path}`);
    const mounted = { endpoint: same[0]!, allow: [...answered, 'OPTIONS'].sort().join(', ') };
    const stacks = new Map<string, Middleware>();
    for (const endpoint of same) {
      const stack = compose(endpointStack(endpoint, sources, answer(endpoint)));
      for (const method of methodsOf(endpoint)) stacks.set(method, stack);
    }
    const others = compose(otherMethodsStack(mounted, sources));
    // One route per path: the router tries every route at each request and composes its middleware anew.
    const mount: Middleware = (ctx, next) => (stacks.get(ctx.method) ?? others)(ctx, next);
    router.register(pattern, METHODS, mount as unknown as Parameters<Router['register']>[2]);
    paths.set(pattern, mounted);
  }
  return {
    middlewares: [...routers.values()].map((router) => router.routes() as unknown as Middleware),
    find(path) {
      for (const router of routers.values()) {
        const [layer] = router.match(path, 'GET').path;
        if (layer) return paths.get(String(layer.path));
      }
      return sources.others.find((other) => other.has(path));
    },
  };
}

/** `/api/tax/v1/events` → `tax`; `service` for what is about the service itself. */
const areaOf = (path: string) => /^\/api\/(\w+)\//.exec(path)?.[1] ?? 'service';

/** `/keys/{id}` → `/keys/:id`, as the router writes it. */
const patternOf = (path: string) => path.replaceAll(/[:*!?+()[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, ':$1');

function methodsOf({ method, post }: AnyEndpoint): string[] {
  if (method !== 'GET') return [method];
  return post ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
}

/** Middleware for headers, access, CORS and https. */
const opening = (endpoint: AnyEndpoint, { config, store, quotas }: Sources): Middleware[] => [
  endpointHeaders(endpoint, config),
  ...(endpoint.access === 'widget' ? [limitAddress(quotas)] : []),
  ...(endpoint.access ? [cors(endpoint.access, config, store)] : []),
  ...(config.trustedHops > 0 ? [httpsOnly(config)] : []),
];

/** Middleware for authentication and quotas; skipped if neither applies. */
function charging({ policy, access, caller }: AnyEndpoint, { config, store, quotas }: Sources): Middleware[] {
  const identify = authenticate(config, store, caller !== undefined);
  if (policy === 'none') return caller === undefined ? [] : [withSecret([identify])];
  const isCharged = access === 'widget'; // its key was a secret, too
  return [withSecret(isCharged ? [identify] : [limitAddress(quotas), identify]), rateLimit(policy, quotas)];
}

/** Runs middlewares only for requests with a key or a session; most have neither. */
function withSecret(middlewares: Middleware[]): Middleware {
  const stack = compose(middlewares);
  return (ctx, next) => {
    const { authorization, cookie } = ctx.req.headers;
    return authorization === undefined && cookie === undefined ? next() : stack(ctx, next);
  };
}

/** Returns an endpoint's middlewares. A request with a bad key is charged, too. */
const endpointStack = (endpoint: AnyEndpoint, sources: Sources, answer: Middleware) => [
  ...opening(endpoint, sources),
  ...charging(endpoint, sources),
  admit(endpoint, sources.config),
  answer,
];

/** Returns the middlewares for OPTIONS and unsupported methods. Preflights are not charged. */
const otherMethodsStack = (mounted: MountedPath, sources: Sources) => [
  ...opening(mounted.endpoint, sources),
  answerOptions(mounted),
  ...charging(mounted.endpoint, sources),
  refuseMethod(mounted, sources.config),
];

function endpointHeaders(endpoint: AnyEndpoint, { baseUrl }: Config): Middleware {
  const { path, access, contentSecurityPolicy, retirement } = endpoint;
  if (retirement) requireNotice(path, retirement);
  const headers = {
    ...(access === undefined && PUBLIC_ACCESS),
    ...(contentSecurityPolicy !== undefined && { 'Content-Security-Policy': contentSecurityPolicy }),
    ...(retirement && deprecationHeaders(retirement, baseUrl)),
  };
  return (ctx, next) => {
    ctx.state.endpoint = endpoint;
    ctx.set(headers);
    return next();
  };
}

/** Refuses a bad key always, and a missing one if the endpoint requires it. */
const admit =
  ({ caller, retirement }: AnyEndpoint, { now }: Config): Middleware =>
  ({ req, state }, next) => {
    requireWellFormed(req);
    if (retirement) requireNotGone(retirement, now());
    if (state.refusal) throw state.refusal;
    if (caller) requireCaller(caller, state.caller);
    return next();
  };

const answerOptions =
  ({ allow }: MountedPath): Middleware =>
  (ctx, next) => {
    if (ctx.method !== 'OPTIONS') return next();
    ctx.set('Allow', allow);
    if (isPreflight(ctx)) ctx.set(preflightHeaders(allow));
    ctx.status = 204;
    return Promise.resolve();
  };

const refuseMethod =
  (mounted: MountedPath, { now }: Config): Middleware =>
  ({ req, method }) => {
    requireWellFormed(req);
    const { retirement } = mounted.endpoint;
    if (retirement) requireNotGone(retirement, now());
    throw methodNotAllowed(method, mounted);
  };

export const methodNotAllowed = (method: string, { allow }: ServedPath) =>
  new Problem('method_not_allowed', `${method.slice(0, 50)} is not allowed here, only ${allow}`, {
    headers: { Allow: allow },
  });

export const notFound = (path: string) => new Problem('route_not_found', `nothing is served at ${path.slice(0, 200)}`);

/**
 * Answers requests without an endpoint.
 * @throws Problem method_not_allowed for files or metrics; route_not_found; bad_request for a malformed path
 */
export const refusePath =
  ({ find }: Routing): Middleware =>
  ({ req, path, method }) => {
    requireWellFormed(req);
    const served = find(path);
    if (served && !served.allow.split(', ').includes(method)) throw methodNotAllowed(method, served);
    try {
      decodeURIComponent(path);
    } catch {
      throw new Problem('bad_request', 'malformed percent-encoding in path');
    }
    throw notFound(path);
  };
