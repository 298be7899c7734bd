/** ETags that are known before any work, and Cache-Control (RFC 9110, 13; RFC 9111; RFC 5861). */
import { hash } from 'node:crypto';
import fresh from 'fresh';

const YEAR_SECONDS = 365 * 86_400;

export const CACHE_CONTROL = {
  /** Depends only on generation, route and parameters. */
  public: 'public, max-age=60, stale-while-revalidate=60',
  /** Cached, but revalidated each time. */
  revalidated: 'public, no-cache',
  /** Never changes under its path. */
  immutable: `public, max-age=${YEAR_SECONDS}, immutable`,
  /** Contains private data of the caller. */
  private: 'private, no-store',
  /** Changes with time. */
  none: 'no-store',
} as const;

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Returns eight digits for everything besides the request that a body depends on, such as the program version. */
export const dataTag = (...sources: readonly string[]) => sha256(sources.join('\n')).slice(0, 8);

/**
 * Weak, because one representation has several content codings.
 * @param canonical text that is equal exactly if the answer is
 */
export const weakETag = (tag: string, canonical: string) => `W/"${tag}.${sha256(canonical).slice(0, 16)}"`;

/** For bytes that never change under their name. */
export const strongETag = (name: string) => `"${sha256(name).slice(0, 32)}"`;

/** Returns whether If-None-Match names a response. ctx.fresh would also obey the `no-cache` that fetch() adds. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && fresh({ 'if-none-match': ifNoneMatch }, { etag });

/** Returns whether If-Match allows a change. Weak tags never match. */
export const isExpected = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((one) => one.trim() === etag);
