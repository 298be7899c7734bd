/**
 * Identifies the caller by key or session. An invalid key is only recorded here. The request is refused later, after it
 * has been counted in the quota.
 */
import type { Config } from '../../../pipeline/config.js';
import { Problem } from '../../http/problem.js';
import { checkKey, SCOPES } from '../../people/accounts/keys.js';
import { browserCookies, checkSession, readSessions } from '../../people/accounts/sessions.js';
import { StoreUnavailable } from '../../people/store/session.js';
import type { Store } from '../../people/store/store.js';
import type { Context, Middleware } from '../context.js';

const BEARER = /^bearer(?:$| +(.*)$)/i;

/** @param isNeeded if false, callers count as anonymous while the store is unavailable */
export function authenticate(config: Config, store: Store, isNeeded: boolean): Middleware {
  return async (ctx, next) => {
    await identify(ctx, store, config, isNeeded);
    return next();
  };
}

/**
 * Finds the caller. If a request has both, the key is used instead of the session. A caller with an expired session
 * counts as anonymous, because browsers always send cookies.
 */
async function identify(ctx: Context, store: Store, config: Config, isNeeded: boolean): Promise<void> {
  const { req, state } = ctx;
  const now = config.now();
  const bearer = BEARER.exec(req.headers.authorization ?? '');
  if (bearer) {
    const known = await checkKey(store, bearer[1] ?? '', now, config.tiers);
    if (known) state.caller = { ...known, by: 'key' };
    else state.refusal = new Problem('invalid_api_key', 'the key is unknown, revoked or expired');
    return;
  }
  const known = [];
  for (const token of readSessions(req.headers.cookie)) {
    const session = await checkSession(store, token, now).catch((error) => {
      if (isNeeded || !(error instanceof StoreUnavailable)) throw error;
    });
    if (session) known.push({ token, ...session });
  }
  const [first] = known;
  // If two cookies belong to different accounts, a sibling domain has set one of them. Neither is trusted.
  if (!first || known.some(({ account }) => account !== first.account)) return;
  state.caller = { account: first.account, by: 'session', scopes: SCOPES };
  state.session = first.token;
  if (first.renewed) ctx.append('Set-Cookie', browserCookies({ session: first.token }));
}
