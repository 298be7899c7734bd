import { SESSION_COOKIE } from '../accounts/browser-cookies.js';
import type { AnyEndpoint } from '../endpoint.js';

const SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal API key, which begins with `hl_`. It has the scopes that it was created with.',
  },
  widget_key: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description:
      'A key that begins with `hlw_`, made for one validator. Pages of its origins may use it, and requests without `Origin`.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a browser that has signed in. Requests that change data must also have the `Origin` of this site.',
  },
};

/**
 * Public operations also accept a key or session: `tax:read` has its own quota. Operations without a quota ignore
 * both.
 */
export function describeSecurity({ caller, access, policy }: AnyEndpoint): object[] {
  if (caller === undefined && policy === 'none') return [];
  if (access === 'widget') return [{ widget_key: [] }];
  if (caller === 'session') return [{ session: [] }];
  if (caller === undefined) return [{}, { key: [] }, { session: [] }];
  return [{ key: caller === 'account' ? [] : [caller] }, { session: [] }];
}

export function securityComponents(paths: object) {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(SCHEMES).filter(([name]) => text.includes(`{"${name}":[`)));
}
