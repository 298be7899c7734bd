/** Paths to endpoints: an exact, case-sensitive look-up without a trailing slash, then the few paths with `{name}` in them. */
import type { Config } from '../pipeline/config.js';
import type { AnyEndpoint } from './endpoint.js';
import { requireNotice, retirementHeaders } from './http/deprecation.js';
import { Problem } from './problem.js';
import type { HeaderList } from './reply.js';
import { standingHeaders } from './standing-headers.js';

export interface MountedRoute {
  /** The first endpoint of the path: what all its methods have in common. */
  readonly endpoint: AnyEndpoint;
  /** By method. HEAD is answered as GET. */
  readonly endpoints: ReadonlyMap<string, AnyEndpoint>;
  /** The methods it answers, as the header Allow says them. */
  readonly allow: string;
  /** One body per generation: no parameter changes it. */
  readonly single: boolean;
  /** What all its answers carry. */
  readonly standing: HeaderList;
}

/** What is mounted. */
export interface Routes {
  /** @param path as sent */
  get(path: string): MountedRoute | undefined;
}

/** @throws Error when two endpoints claim a path for the same method, or one goes too soon after that is announced */
export function mountRoutes(endpoints: readonly AnyEndpoint[], { baseUrl }: Config): Routes {
  const byPath = new Map<string, MountedRoute>();
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    byPath.set(
      path,
      mountPath(
        endpoints.filter((endpoint) => endpoint.path === path),
        baseUrl,
      ),
    );
  }
  const patterns = [...byPath].filter(([path]) => path.includes('{')).map(([path, route]) => ({ path, route }));
  return {
    get: (path) => byPath.get(path) ?? patterns.find((pattern) => pathValues(pattern.path, path))?.route,
  };
}

function mountPath(endpoints: readonly AnyEndpoint[], baseUrl: string): MountedRoute {
  const byMethod = new Map<string, AnyEndpoint>();
  for (const endpoint of endpoints) {
    for (const method of methodsOf(endpoint)) {
      if (byMethod.has(method)) throw new Error(`two endpoints at ${method} ${endpoint.path}`);
      byMethod.set(method, endpoint);
    }
  }
  const endpoint = endpoints[0]!;
  const { retirement } = endpoint;
  if (retirement) requireNotice(endpoint.path, retirement);
  return {
    endpoint,
    endpoints: byMethod,
    allow: [...byMethod.keys(), 'OPTIONS'].sort().join(', '),
    single: !endpoint.volatile && endpoint.parameters.every((name) => name === 'chain'),
    standing: [
      ...standingHeaders(endpoint.contentSecurityPolicy),
      ...(retirement ? retirementHeaders(retirement, baseUrl) : []),
    ],
  };
}

function methodsOf({ method, post }: AnyEndpoint): string[] {
  if (method !== 'GET') return [method];
  return post ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD'];
}

/** ('/keys/{id}', '/keys/7') → {id: '7'}; undefined when the path is another. */
export function pathValues(template: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name ? given[i] === '' : part !== given[i]) return undefined;
    if (name) values[name] = given[i]!;
  }
  return values;
}

export const notFound = (path: string) => new Problem('route_not_found', `nothing is served at ${path.slice(0, 200)}`);

export const methodNotAllowed = (method: string, { allow }: MountedRoute) =>
  new Problem('method_not_allowed', `${method.slice(0, 50)} is not answered here, only ${allow}`, {
    headers: { Allow: allow },
  });
