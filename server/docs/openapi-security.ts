/** Security of operations, as the OpenAPI document says it: the callers and the schemes by which they are known. */
import { SESSION_COOKIE } from '../accounts/browser-cookies.js';
import type { AnyEndpoint } from '../endpoint.js';

const SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal API key, which begins with `hl_`. It carries the scopes that it was created with.',
  },
  widget_key: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description:
      'A key that begins with `hlw_`, made for one validator. Pages of its origins may use it; a request without `Origin`, too.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a browser that has signed in. What changes something also needs the site’s own `Origin`.',
  },
};

/**
 * Describes the security of an operation. Public ones take a key or session, too: it is checked, and `tax:read` has a quota of its own.
 * Where nothing is charged nobody is looked up.
 */
export function describeSecurity({ caller, access, policy }: AnyEndpoint): object[] {
  if (caller === undefined && policy === 'none') return [];
  if (access === 'widget') return [{ widget_key: [] }];
  if (caller === 'session') return [{ session: [] }];
  if (caller === undefined) return [{}, { key: [] }, { session: [] }];
  return [{ key: caller === 'account' ? [] : [caller] }, { session: [] }];
}

/** Components with the ways to say who calls that the paths know. */
export function securityComponents(paths: object) {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(SCHEMES).filter(([name]) => text.includes(`{"${name}":[`)));
}
