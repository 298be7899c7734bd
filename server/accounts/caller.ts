/** The caller: who sent a request, as far as it said so. */
import type { Scope } from '../../schemas/types.generated.js';
import { Problem } from '../problem.js';

/**
 * The kinds of callers that may use an endpoint: `session`, who signed in by hand; `account`, also the bearer of any key of an
 * account; a scope, also the bearer of a key that has it.
 */
export type CallerKind = 'session' | 'account' | Scope;

export interface Caller {
  /** Id of the account. */
  readonly account: string;
  readonly by: 'session' | 'key';
  /** Scopes that it has; a session has all of them. */
  readonly scopes: readonly Scope[];
}

/**
 * Requires a caller who may use an endpoint (specification, "Authentication").
 * @throws Problem unauthorized, forbidden, insufficient_scope
 */
export function requireCaller(kind: CallerKind, caller: Caller | undefined): void {
  if (!caller) throw new Problem('unauthorized', 'sign in, or send a key as Authorization: Bearer <key>');
  if (kind === 'account') return;
  if (kind !== 'session') {
    if (caller.scopes.includes(kind)) return;
    throw new Problem('insufficient_scope', `the key lacks the scope ${kind}`, {
      headers: { 'WWW-Authenticate': `Bearer realm="api", error="insufficient_scope", scope="${kind}"` },
    });
  }
  if (caller.by !== 'session') throw new Problem('forbidden', 'a key may not do this: sign in');
}

/**
 * Requires a page of this site: those of others must not act with a visitor's session (decision U2).
 * @param origin the header Origin
 * @throws Problem forbidden
 */
export function requireSameOrigin(origin: string | undefined, caller: Caller | undefined, baseUrl: string): void {
  if (caller?.by === 'key' || (origin === undefined && !caller)) return;
  if (origin === new URL(baseUrl).origin) return;
  throw new Problem('forbidden', 'a session acts from pages of this site only: the header Origin must name it');
}
