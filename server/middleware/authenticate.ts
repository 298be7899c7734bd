/**
 * Says who calls, wherever a key or session is sent; what that entitles to is decided later. A bad key is kept as the problem that it
 * is, so that the request is still charged to somebody before it is refused.
 */
import type { Config } from '../../pipeline/config.js';
import { checkKey, SCOPES } from '../accounts/keys.js';
import { checkSession, SESSION_COOKIE, sessionCookie } from '../accounts/sessions.js';
import type { Context, Middleware } from '../context.js';
import { readCookies } from '../http/cookies.js';
import { Problem } from '../problem.js';
import type { Store } from '../store/store.js';

const BEARER = /^bearer(?:$| +(.*)$)/i;

export function authentication({ now }: Config, store: Store): Middleware {
  return async (ctx, next) => {
    const { authorization, cookie } = ctx.req.headers;
    if (ctx.state.route && (authorization !== undefined || cookie !== undefined)) await identify(ctx, store, now());
    return next();
  };
}

/** A key goes before a session. One that is over leaves its bearer anonymous: browsers send cookies unasked. */
async function identify({ req, state }: Context, store: Store, now: Date): Promise<void> {
  const bearer = BEARER.exec(req.headers.authorization ?? '');
  if (bearer) {
    const known = await checkKey(store, bearer[1] ?? '', now);
    if (known) state.caller = { ...known, by: 'key' };
    else state.refusal = new Problem('invalid_api_key', 'the key is unknown, revoked or expired');
    return;
  }
  const token = readCookies(req.headers.cookie).get(SESSION_COOKIE);
  if (!token) return;
  const session = await checkSession(store, token, now);
  if (!session) return;
  state.caller = { account: session.account, by: 'session', scopes: SCOPES };
  if (session.renewed) state.headers.push('Set-Cookie', sessionCookie(token));
}
