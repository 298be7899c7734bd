import { LRUCache } from 'lru-cache';
import type { Body } from './answer.js';
import type { Coding } from './context.js';
import type { ReadQuery } from './make-answer.js';

interface CachedQuery extends ReadQuery {
  readonly bodies?: Partial<Readonly<Record<Coding, Body>>>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const BODY_MAX_BYTES = 512 * 1024;
const NAME_MAX_CHARACTERS = 4096;
/** Estimated memory of a cache entry in addition to its texts. */
const OVERHEAD_BYTES = 1024;
/** Maximum number of remembered queries that were requested only once. */
const ONCE_MAX = 10_000;

/**
 * Caches public responses, because reading, validating and serializing take 90 % of the time. A query is cached only
 * when it is requested a second time, so that unique queries do not evict repeated ones.
 */
export class ResponseCache {
  /** ETags of queries that were requested once. ETags are short. Long names would fill V8's old heap with garbage. */
  private readonly once = new LRUCache<string, true>({ max: ONCE_MAX });
  private readonly queries = new LRUCache<string, CachedQuery>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });

  find(name: string): CachedQuery | undefined {
    return this.queries.get(name);
  }

  add(name: string, query: ReadQuery): void {
    if (query.etag === undefined || name.length > NAME_MAX_CHARACTERS || this.queries.has(name)) return;
    if (this.once.has(query.etag)) this.queries.set(name, query);
    else this.once.set(query.etag, true);
  }

  keep(name: string, coding: Coding, body: Body): void {
    const query = this.queries.get(name);
    if (!query || body.bytes.length > BODY_MAX_BYTES) return;
    this.queries.set(name, { ...query, bodies: { ...query.bodies, [coding]: body } });
  }
}

function sizeOf({ bodies = {} }: CachedQuery, name: string): number {
  const bytes = Object.values(bodies).map((body) => body.bytes.length);
  return bytes.reduce((sum, length) => sum + length, OVERHEAD_BYTES + 2 * name.length);
}
