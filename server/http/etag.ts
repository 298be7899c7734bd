import { hash } from 'node:crypto';
import fresh from 'fresh';

const YEAR_SECONDS = 365 * 86_400;

export const CACHE_CONTROL = {
  /** Cache-Control of responses that depend only on the dataset, the path and the parameters. */
  public: 'public, max-age=60, stale-while-revalidate=60',
  /** Cache-Control of responses that caches may store but must revalidate each time. */
  revalidated: 'public, no-cache',
  immutable: `public, max-age=${YEAR_SECONDS}, immutable`,
  private: 'private, no-store',
  none: 'no-store',
} as const;

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Returns eight digits that change with everything outside the request, such as the program version. */
export const dataTag = (...sources: readonly string[]) => sha256(sources.join('\n')).slice(0, 8);

/** Returns a weak ETag, because responses with different content codings share it. */
export const weakETag = (tag: string, canonical: string) => `W/"${tag}.${sha256(canonical).slice(0, 16)}"`;

export const strongETag = (name: string) => `"${sha256(name).slice(0, 32)}"`;

/**
 * Returns true if If-None-Match contains the ETag. Unlike `ctx.fresh`, ignores `Cache-Control: no-cache`, which fetch()
 * may send.
 */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });

/** Returns true if the ETag matches If-Match. Weak ETags never match. */
export const isExpected = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((one) => one.trim() === etag);
