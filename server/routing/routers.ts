/**
 * Endpoints mounted on routers, one for each area of the API, with an answer for every method, and the middlewares that a request passes
 * on its way to an endpoint.
 */
import { METHODS } from 'node:http';
import Router from '@koa/router';
import compose from 'koa-compose';
import type { Config } from '../../pipeline/config.js';
import { requireCaller } from '../accounts/caller.js';
import type { Middleware, Services } from '../context.js';
import type { AnyEndpoint } from '../endpoint.js';
import { deprecationHeaders, requireNotGone, requireNotice } from '../http/deprecation.js';
import { requireWellFormed } from '../http/request-input.js';
import { authenticate } from '../middleware/authenticate.js';
import { cors, isPreflight, PUBLIC_ACCESS, preflightHeaders } from '../middleware/cors.js';
import { httpsOnly } from '../middleware/https-only.js';
import { Problem } from '../problem.js';
import { limitAddress, type Quotas, rateLimit } from '../quotas/quotas.js';

/** A path at which something is served. */
export interface ServedPath {
  /** The first endpoint of the path: what all its methods have in common. Files and metrics have none. */
  readonly endpoint?: AnyEndpoint;
  /** The methods it answers, as the header Allow lists them. */
  readonly allow: string;
}

/** A path of the API. */
type MountedPath = Required<ServedPath>;

/** Paths at which a middleware serves what is no endpoint. */
export interface OtherPaths extends ServedPath {
  has(path: string): boolean;
}

export interface Routing {
  readonly middlewares: readonly Middleware[];
  /** @param path as sent */
  find(path: string): ServedPath | undefined;
}

/** The sources of the middlewares on the way to an endpoint. */
interface Sources extends Pick<Services, 'config' | 'store'> {
  readonly endpoints: readonly AnyEndpoint[];
  readonly others: readonly OtherPaths[];
  /** Undefined where requests are not limited. */
  readonly quotas: Quotas | undefined;
}

/**
 * @param answer makes the last middleware of an endpoint
 * @throws Error when two endpoints claim a path for the same method, or one goes sooner than was promised
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
    // One route a path: the router tries each of them at every request, and composes what it is given anew.
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

/** The middlewares that say which endpoint it is, who may read it and by which protocol. */
const opening = (endpoint: AnyEndpoint, { config, store, quotas }: Sources): Middleware[] => [
  endpointHeaders(endpoint, config),
  ...(endpoint.access === 'widget' ? [limitAddress(quotas)] : []),
  ...(endpoint.access ? [cors(endpoint.access, config, store)] : []),
  ...(config.trustedHops > 0 ? [httpsOnly(config)] : []),
];

/** The middlewares that say who calls, and charge them; where neither counts nobody is looked up. */
function charging({ policy, access, caller }: AnyEndpoint, { config, store, quotas }: Sources): Middleware[] {
  const identify = authenticate(config, store, caller !== undefined);
  if (policy === 'none') return caller === undefined ? [] : [withSecret([identify])];
  const isCharged = access === 'widget'; // its key was a secret, too
  return [withSecret(isCharged ? [identify] : [limitAddress(quotas), identify]), rateLimit(policy, quotas)];
}

/** Lets requests pass middlewares that come with a key or a session; most come without. */
function withSecret(middlewares: Middleware[]): Middleware {
  const stack = compose(middlewares);
  return (ctx, next) => {
    const { authorization, cookie } = ctx.req.headers;
    return authorization === undefined && cookie === undefined ? next() : stack(ctx, next);
  };
}

/** The middlewares of an endpoint. A request with a refused key is charged all the same. */
const endpointStack = (endpoint: AnyEndpoint, sources: Sources, answer: Middleware) => [
  ...opening(endpoint, sources),
  ...charging(endpoint, sources),
  admit(endpoint, sources.config),
  answer,
];

/** The middlewares of OPTIONS, and of methods that no endpoint of the path answers. These are charged, a preflight is not. */
const otherMethodsStack = (mounted: MountedPath, sources: Sources) => [
  ...opening(mounted.endpoint, sources),
  answerOptions(mounted),
  ...charging(mounted.endpoint, sources),
  refuseMethod(mounted, sources.config),
];

/** Headers of all answers of an endpoint's path. */
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

/** A bad key is refused everywhere, a missing one where the endpoint asks for it. */
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
  new Problem('method_not_allowed', `${method.slice(0, 50)} is not answered here, only ${allow}`, {
    headers: { Allow: allow },
  });

export const notFound = (path: string) => new Problem('route_not_found', `nothing is served at ${path.slice(0, 200)}`);

/**
 * Answers where no endpoint is.
 * @throws Problem method_not_allowed where a file or the metrics are, route_not_found, or bad_request for a path that cannot be decoded
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
