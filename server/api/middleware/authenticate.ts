/**
 * Authenticates requests with a key or session; authorization follows later. A bad key is stored as a problem, so
 * that the request is charged before it is refused.
 */
import type { Config } from '../../../pipeline/config.js';
import { Problem } from '../../http/problem.js';
import { browserCookies, readSessions } from '../../people/accounts/browser-cookies.js';
import { checkKey, SCOPES } from '../../people/accounts/keys.js';
import { checkSession } from '../../people/accounts/sessions.js';
import { StoreUnavailable } from '../../people/store/session.js';
import type { Store } from '../../people/store/store.js';
import type { Context, Middleware } from '../context.js';

const BEARER = /^bearer(?:$| +(.*)$)/i;

/** if false, a failed session lookup counts as anonymous */
export function authenticate({ now }: Config, store: Store, isNeeded: boolean): Middleware {
  return async (ctx, next) => {
    await identify(ctx, store, now(), isNeeded);
    return next();
  };
}

/** A key has precedence. An expired session is anonymous: browsers send cookies unasked. */
async function identify(ctx: Context, store: Store, now: Date, isNeeded: boolean): Promise<void> {
  const { req, state } = ctx;
  const bearer = BEARER.exec(req.headers.authorization ?? '');
  if (bearer) {
    const known = await checkKey(store, bearer[1] ?? '', now);
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
  // With sessions of two accounts, a sibling domain has planted one of them: trust neither.
  if (!first || known.some(({ account }) => account !== first.account)) return;
  state.caller = { account: first.account, by: 'session', scopes: SCOPES };
  state.session = first.token;
  if (first.renewed) ctx.append('Set-Cookie', browserCookies({ session: first.token }));
}
