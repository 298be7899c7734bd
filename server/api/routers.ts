/**
 * Routes requests to endpoints through each endpoint's middleware. Most paths are looked up by name. A router finds the
 * paths with parameters.
 */
import { METHODS } from 'node:http';
import Router from '@koa/router';
import compose from 'koa-compose';
import { daysBetween, startOf } from '../../pipeline/base/values/day.js';
import type { Config } from '../../pipeline/config.js';
import { Problem } from '../http/problem.js';
import { requireWellFormed } from '../http/request-input.js';
import type { Middleware, Services } from './context.js';
import type { AnyEndpoint, Caller, CallerKind, Retirement } from './endpoint.js';
import { authenticate } from './middleware/authenticate.js';
import { cors, isPreflight, PUBLIC_ACCESS, preflightHeaders } from './middleware/cors.js';
import { httpsOnly } from './middleware/https-only.js';
import { limitAddress, type Quotas, rateLimit } from './quotas/quotas.js';

export interface ServedPath {
  readonly endpoint?: AnyEndpoint;
  readonly allow: string;
}

type MountedPath = Required<ServedPath>;

/** Paths that a middleware serves instead of an endpoint. */
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
  readonly quotas: Quotas | undefined;
}

export function mountEndpoints(sources: Sources, answer: (endpoint: AnyEndpoint) => Middleware): Routing {
  const plain = new Map<string, Middleware>();
  const router = new Router({ sensitive: true, strict: true });
  const paths = new Map<string, MountedPath>();
  for (const path of new Set(sources.endpoints.map((endpoint) => endpoint.path))) {
    const same = sources.endpoints.filter((endpoint) => endpoint.path === path);
    const answered = same.flatMap(methodsOf);
    if (new Set(answered).size < answered.length) throw new Error(`two endpoints answer the same method at ${path}`);
    const mounted = { endpoint: same[0]!, allow: [...answered, 'OPTIONS'].sort().join(', ') };
    const stacks = new Map<string, Middleware>();
    for (const endpoint of same) {
      const stack = compose(endpointStack(endpoint, sources, answer(endpoint)));
      for (const method of methodsOf(endpoint)) stacks.set(method, stack);
    }
    const others = compose(otherMethodsStack(mounted, sources));
    // Adds one route per path instead of one per method, because the router tests all routes for each request.
    const mount: Middleware = (ctx, next) => (stacks.get(ctx.method) ?? others)(ctx, next);
    const pattern = path.includes('{') ? patternOf(path) : undefined;
    if (pattern === undefined) plain.set(path, mount);
    else router.register(pattern, METHODS, mount as unknown as Parameters<Router['register']>[2]);
    paths.set(pattern ?? path, mounted);
  }
  return {
    middlewares: [(ctx, next) => plain.get(ctx.path)?.(ctx, next) ?? next(), router.routes() as unknown as Middleware],
    find(path) {
      const [layer] = router.match(path, 'GET').path;
      return paths.get(layer ? String(layer.path) : path) ?? sources.others.find((other) => other.has(path));
    },
  };
}

const patternOf = (path: string) => path.replaceAll(/[:*!?+()[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, ':$1');

function methodsOf({ method, post }: AnyEndpoint): string[] {
  if (method !== 'GET') return [method];
  return post ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
}

const opening = (endpoint: AnyEndpoint, { config, store, quotas }: Sources): Middleware[] => [
  endpointHeaders(endpoint, config),
  ...(endpoint.access === 'widget' ? [limitAddress(quotas)] : []),
  ...(endpoint.access ? [cors(endpoint.access, config, store)] : []),
  ...(config.trustedHops > 0 ? [httpsOnly(config)] : []),
];

function charging({ policy, access, caller }: AnyEndpoint, { config, store, quotas }: Sources): Middleware[] {
  const identify = authenticate(config, store, caller !== undefined);
  if (policy === 'none') return caller === undefined ? [] : [withSecret([identify])];
  const isCharged = access === 'widget'; // the request was already counted for its IP address when the widget key was checked
  return [withSecret(isCharged ? [identify] : [limitAddress(quotas), identify]), rateLimit(policy, quotas)];
}

/** Returns middleware that authenticates only requests with a key or session. Most requests have neither. */
function withSecret(middlewares: Middleware[]): Middleware {
  const stack = compose(middlewares);
  return (ctx, next) => {
    const { authorization, cookie } = ctx.req.headers;
    return authorization === undefined && cookie === undefined ? next() : stack(ctx, next);
  };
}

/**
 * Returns an endpoint's middleware in order. Quotas come before `admit`, so that requests with an invalid key are
 * counted too.
 */
const endpointStack = (endpoint: AnyEndpoint, sources: Sources, answer: Middleware) => [
  ...opening(endpoint, sources),
  ...charging(endpoint, sources),
  admit(endpoint, sources.config),
  answer,
];

/** Returns the middleware for OPTIONS and for methods that the path does not support. */
const otherMethodsStack = (mounted: MountedPath, sources: Sources) => [
  ...opening(mounted.endpoint, sources),
  answerOptions(mounted),
  ...charging(mounted.endpoint, sources),
  refuseMethod(mounted, sources.config),
];

function endpointHeaders(endpoint: AnyEndpoint, { baseUrl }: Config): Middleware {
  const { path, access, contentSecurityPolicy, retirement } = endpoint;
  if (retirement) requireNotice(path, retirement);
  const headers = new Map(
    Object.entries({
      ...(access === undefined && PUBLIC_ACCESS),
      ...(contentSecurityPolicy !== undefined && { 'Content-Security-Policy': contentSecurityPolicy }),
      ...(retirement && deprecationHeaders(retirement, baseUrl)),
    }),
  );
  return (ctx, next) => {
    ctx.state.endpoint = endpoint;
    ctx.res.setHeaders(headers);
    return next();
  };
}

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

function requireCaller(kind: CallerKind, caller: Caller | undefined): void {
  if (!caller) throw new Problem('unauthorized', 'sign in, or send a key as Authorization: Bearer <key>');
  if (kind === 'account') return;
  if (kind !== 'session') {
    if (caller.scopes.includes(kind)) return;
    throw new Problem('insufficient_scope', `the key lacks the scope ${kind}`, {
      headers: { 'WWW-Authenticate': `Bearer realm="api", error="insufficient_scope", scope="${kind}"` },
    });
  }
  if (caller.by !== 'session') throw new Problem('forbidden', 'keys cannot do this: sign in');
}

const NOTICE_DAYS = 90;

function requireNotice(path: string, { deprecatedOn, sunsetOn }: Retirement): void {
  const days = daysBetween(deprecatedOn, sunsetOn);
  if (!(days >= NOTICE_DAYS)) {
    throw new Error(`${path} goes ${days} days after it is announced: at least ${NOTICE_DAYS} are promised`);
  }
}

function deprecationHeaders(retirement: Retirement, baseUrl: string): Record<string, string> {
  const { deprecatedOn, sunsetOn, successor, changelog } = retirement;
  const links = [`<${baseUrl}${changelog}>; rel="deprecation"; type="text/html"`];
  if (successor !== undefined) links.push(`<${baseUrl}${successor}>; rel="successor-version"`);
  return {
    Deprecation: `@${startOf(deprecatedOn) / 1000}`,
    Sunset: new Date(startOf(sunsetOn)).toUTCString(),
    Link: links.join(', '),
  };
}

function requireNotGone({ sunsetOn, successor }: Retirement, now: Date): void {
  if (now.getTime() < startOf(sunsetOn)) return;
  const instead = successor === undefined ? 'nothing takes its place' : `ask ${successor} instead`;
  throw new Problem('gone', `this endpoint was retired on ${sunsetOn}; ${instead}`);
}
