/** ETags that are known before any work is done, and what may be cached (RFC 9110, 13; RFC 9111; RFC 5861). */
import { hash } from 'node:crypto';

const PUBLIC = 'public, max-age=60, stale-while-revalidate=60';

export const CACHE_CONTROL = {
  /** A pure function of generation, route and parameters. */
  public: PUBLIC,
  /** Kept, and asked for again each time. */
  revalidated: 'public, no-cache',
  /** What a caller told about itself is in the answer. */
  private: 'private, no-store',
  /** Changes with the clock. */
  none: 'no-store',
} as const;

const sha256 = (text: string) => hash('sha256', text, 'hex');

/** Eight digits for what a body depends on beside the request. A new program may write the same data in another way. */
export const dataTag = (...sources: readonly string[]) => sha256(sources.join('\n')).slice(0, 8);

/**
 * Weak, because one representation goes out in several content codings.
 * @param canonical text that is equal exactly when the answer is
 */
export const weakETag = (tag: string, canonical: string) => `W/"${tag}.${sha256(canonical).slice(0, 16)}"`;
