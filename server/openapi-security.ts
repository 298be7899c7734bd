/** Who may call an operation, as the OpenAPI document says it. */
import { SESSION_COOKIE } from './accounts/sessions.js';
import type { Route } from './endpoint.js';

export const SECURITY_SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal API key, which begins with `hl_`. It carries the scopes that it was created with.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a browser that has signed in. What changes something also needs the site’s own `Origin`.',
  },
};

/** Public operations take a key or session, too: it is checked, and `tax:read` gives its account a quota of its own. */
export function describeSecurity({ caller }: Route): object[] {
  if (caller === 'session') return [{ session: [] }];
  if (caller === undefined) return [{}, { key: [] }, { session: [] }];
  return [{ key: caller === 'account' ? [] : [caller] }, { session: [] }];
}
