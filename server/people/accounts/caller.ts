import type { Scope } from '../../../schemas/types.generated.js';
import { Problem } from '../../http/problem.js';

/** `session`: a browser session; `account`: a session or any key; a scope: a session or a key with that scope. */
export type CallerKind = 'session' | 'account' | Scope;

export interface Caller {
  readonly account: string;
  readonly by: 'session' | 'key';
  readonly scopes: readonly Scope[];
}

export function requireCaller(kind: CallerKind, caller: Caller | undefined): void {
  if (!caller) throw new Problem('unauthorized', 'sign in, or send a key as Authorization: Bearer <key>');
  if (kind === 'account') return;
  if (kind !== 'session') {
    if (caller.scopes.includes(kind)) return;
    throw new Problem('insufficient_scope', `the key lacks the scope ${kind}`, {
      headers: { 'WWW-Authenticate': `Bearer realm="api", error="insufficient_scope", scope="${kind}"` },
    });
  }
  if (caller.by !== 'session') throw new Problem('forbidden', 'keys cannot do this: sign in');
}

/** Prevents cross-site request forgery: refuses sessions in requests from other sites (decision U2). */
export function requireSameOrigin(origin: string | undefined, caller: Caller | undefined, baseUrl: string): void {
  if (caller?.by === 'key' || (origin === undefined && !caller)) return;
  if (origin === new URL(baseUrl).origin) return;
  throw new Problem('forbidden', 'requests with a session must come from this site: the header Origin must match it');
}
