/** Paths to endpoints: an exact, case-sensitive look-up without a trailing slash. */
import type { Config } from '../pipeline/config.js';
import type { Endpoint, ServiceEndpoint } from './endpoint.js';
import { Problem } from './problem.js';
import type { HeaderList } from './reply.js';
import { requireNotice, retirementHeaders } from './retirement.js';
import { standingHeaders } from './standing-headers.js';

export interface MountedRoute {
  readonly endpoint: Endpoint | ServiceEndpoint;
  /** The methods it answers, as the header Allow says them. */
  readonly allow: string;
  /** One body per generation: no parameter changes it. */
  readonly single: boolean;
  /** What all its answers carry. */
  readonly standing: HeaderList;
}

export type Routes = ReadonlyMap<string, MountedRoute>;

/** @throws Error when two endpoints claim a path, or one goes too soon after that is announced */
export function mountRoutes(endpoints: readonly (Endpoint | ServiceEndpoint)[], { baseUrl }: Config): Routes {
  const routes = new Map<string, MountedRoute>();
  for (const endpoint of endpoints) {
    if (routes.has(endpoint.path)) throw new Error(`two endpoints at ${endpoint.path}`);
    const { retirement } = endpoint;
    if (retirement) requireNotice(endpoint.path, retirement);
    routes.set(endpoint.path, {
      endpoint,
      allow: endpoint.post ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS',
      single: !endpoint.volatile && endpoint.parameters.every((name) => name === 'chain'),
      standing: [
        ...standingHeaders(endpoint.contentSecurityPolicy),
        ...(retirement ? retirementHeaders(retirement, baseUrl) : []),
      ],
    });
  }
  return routes;
}

export const notFound = (path: string) => new Problem('route_not_found', `nothing is served at ${path.slice(0, 200)}`);

export const methodNotAllowed = (method: string, { allow }: MountedRoute) =>
  new Problem('method_not_allowed', `${method.slice(0, 50)} is not answered here, only ${allow}`, {
    headers: { Allow: allow },
  });
