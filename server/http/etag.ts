/** ETags that are known before any work is done, and Cache-Control (RFC 9110, 13; RFC 9111; RFC 5861). */
import { hash } from 'node:crypto';

const YEAR_SECONDS = 365 * 86_400;

/** Values of Cache-Control by the kind of answer. */
export const CACHE_CONTROL = {
  /** An answer that is a pure function of generation, route and parameters. */
  public: 'public, max-age=60, stale-while-revalidate=60',
  /** An answer that is kept, and asked for again each time. */
  revalidated: 'public, no-cache',
  /** A file that never changes under its path. */
  immutable: `public, max-age=${YEAR_SECONDS}, immutable`,
  /** An answer with something that a caller told about itself. */
  private: 'private, no-store',
  /** An answer that changes with the clock. */
  none: 'no-store',
} as const;

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Eight digits for all that a body depends on besides the request. A new program may write the same data in another way. */
export const dataTag = (...sources: readonly string[]) => sha256(sources.join('\n')).slice(0, 8);

/**
 * Makes an ETag. It is weak, because one representation goes out in several content codings.
 * @param canonical text that is equal exactly when the answer is
 */
export const weakETag = (tag: string, canonical: string) => `W/"${tag}.${sha256(canonical).slice(0, 16)}"`;

/** Makes an ETag of bytes that stand under one name only. */
export const strongETag = (name: string) => `"${sha256(name).slice(0, 32)}"`;

/** Whether If-Match names what has this strong ETag, so that a change may be made to it. A weak one never matches. */
export const isExpected = (ifMatch: string, etag: string): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((one) => one.trim() === etag);
