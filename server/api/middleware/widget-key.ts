/** A widget key may be used by pages of its origins, and by programs, because these send no Origin (decision U5). */

import { faultAt, Problem } from '../../http/problem.js';
import { checkWidgetKey } from '../../people/accounts/widget-keys.js';
import type { CachedQueries } from '../../people/store/store.js';
import type { Context } from '../context.js';

/** An invalid key is only recorded, so that the request is charged before it is refused. */
export async function admitWidget({ req, state, querystring }: Context, store: CachedQueries): Promise<boolean> {
  const given = new URLSearchParams(querystring).getAll('api_key');
  const [presented = ''] = given;
  const { origin } = req.headers;
  const key = given.length === 1 ? await checkWidgetKey(store, presented) : undefined;
  if (given.length > 1) state.refusal = faultAt('api_key', `is given ${given.length} times`);
  else if (presented === '') state.refusal = new Problem('unauthorized', 'send the key of the page as api_key');
  else if (!key) state.refusal = new Problem('invalid_api_key', 'the key is unknown or revoked');
  else if (origin !== undefined && !key.origins.includes(origin)) {
    state.refusal = new Problem('forbidden', 'the key is not for pages of this origin');
  } else state.widget = key;
  return state.widget !== undefined;
}
