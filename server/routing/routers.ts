/** Endpoints mounted on routers, one for each area of the API, with an answer for every method. */
import { METHODS } from 'node:http';
import Router from '@koa/router';
import type { Middleware } from '../context.js';
import type { AnyEndpoint } from '../endpoint.js';
import { requireWellFormed } from '../http/request-input.js';
import { Problem } from '../problem.js';

/** A path of the API. */
export interface MountedPath {
  /** The first endpoint of the path: what all its methods have in common. */
  readonly endpoint: AnyEndpoint;
  /** The methods it answers, as the header Allow lists them. */
  readonly allow: string;
}

/** The middlewares of each kind of request; the last of them answers. */
export interface Stacks {
  endpoint(endpoint: AnyEndpoint): readonly Middleware[];
  /** The middlewares of OPTIONS, and of methods that no endpoint of the path answers. */
  otherMethods(path: MountedPath): readonly Middleware[];
}

export interface Routing {
  readonly middlewares: readonly Middleware[];
  /** @param path as sent */
  find(path: string): MountedPath | undefined;
}

/** @throws Error when two endpoints claim a path for the same method */
export function mountEndpoints(endpoints: readonly AnyEndpoint[], stacks: Stacks): Routing {
  const routers = new Map<string, Router>();
  const paths = new Map<string, MountedPath>();
  for (const [path, same] of byPath(endpoints)) {
    const router = routers.get(areaOf(path)) ?? new Router({ sensitive: true, strict: true });
    routers.set(areaOf(path), router);
    const pattern = patternOf(path);
    const mount = (methods: readonly string[], stack: readonly Middleware[]) =>
      router.register(pattern, [...methods], [...stack] as Parameters<Router['register']>[2]);
    const answered = same.flatMap(methodsOf);
    if (new Set(answered).size < answered.length) throw new Error(`two endpoints answer the same method at ${path}`);
    const mounted = { endpoint: same[0]!, allow: [...answered, 'OPTIONS'].sort().join(', ') };
    for (const endpoint of same) mount(methodsOf(endpoint), stacks.endpoint(endpoint));
    const others = METHODS.filter((method) => !answered.includes(method));
    mount(others, stacks.otherMethods(mounted));
    paths.set(pattern, mounted);
  }
  return {
    middlewares: [...routers.values()].map((router) => router.routes() as unknown as Middleware),
    find(path) {
      for (const router of routers.values()) {
        const [layer] = router.match(path, 'GET').path;
        if (layer) return paths.get(String(layer.path));
      }
      return undefined;
    },
  };
}

function byPath(endpoints: readonly AnyEndpoint[]): Map<string, AnyEndpoint[]> {
  const grouped = new Map<string, AnyEndpoint[]>();
  for (const endpoint of endpoints) grouped.set(endpoint.path, [...(grouped.get(endpoint.path) ?? []), endpoint]);
  return grouped;
}

/** `/api/tax/v1/events` → `tax`; `service` for what is about the service itself. */
const areaOf = (path: string) => /^\/api\/(\w+)\//.exec(path)?.[1] ?? 'service';

/** `/keys/{id}` → `/keys/:id`, as the router writes it. */
const patternOf = (path: string) => path.replaceAll(/[:*!?+()[\]\\]/g, '\\$&').replaceAll(/\{(\w+)\}/g, ':$1');

function methodsOf({ method, post }: AnyEndpoint): string[] {
  if (method !== 'GET') return [method];
  return post ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
}

export const notFound = (path: string) => new Problem('route_not_found', `nothing is served at ${path.slice(0, 200)}`);

export const methodNotAllowed = (method: string, { allow }: MountedPath) =>
  new Problem('method_not_allowed', `${method.slice(0, 50)} is not answered here, only ${allow}`, {
    headers: { Allow: allow },
  });

/** Answers where no endpoint is. @throws Problem route_not_found, or bad_request for a path that cannot be decoded */
export const refusePath: Middleware = ({ req, path }) => {
  requireWellFormed(req);
  try {
    decodeURIComponent(path);
  } catch {
    throw new Problem('bad_request', 'malformed percent-encoding in path');
  }
  throw notFound(path);
};
