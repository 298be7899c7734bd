/**
 * The response cache: public reads that were asked for more than once. Callers ask the same again and again, and reading, checking and
 * writing an answer is nine tenths of its cost. One that is asked for once would only push others out, and be garbage that has grown
 * old. What a caller tells about itself never comes here.
 */
import { LRUCache } from 'lru-cache';
import type { Coding } from '../context.js';
import type { ValidParameters } from '../parameters/parameters.js';
import type { Body } from './answer.js';

/** A valid query. */
export interface ReadQuery {
  readonly parameters: ValidParameters;
  /** The ETag of its response, known before that is made; undefined where the response is for nobody else. */
  readonly etag: string | undefined;
  /** The bodies of that response that are kept, by coding. */
  readonly bodies?: Partial<Readonly<Record<Coding, Body>>>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const BODY_MAX_BYTES = 512 * 1024;
const NAME_MAX_CHARACTERS = 4096;
/** About what an entry takes beside its texts. */
const OVERHEAD_BYTES = 1024;
/** Characters of the names that are remembered to have been asked once: those of some ten thousand usual queries. */
const ONCE_MAX_CHARACTERS = 2 * 1024 * 1024;

export class ResponseCache {
  private readonly once = new LRUCache<string, true>({
    maxSize: ONCE_MAX_CHARACTERS,
    sizeCalculation: (_, name) => name.length,
  });
  private readonly queries = new LRUCache<string, ReadQuery>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });

  /**
   * Finds a query that was read before.
   * @param name the query as sent, with everything that decides what it means and what is answered
   */
  find(name: string): ReadQuery | undefined {
    return this.queries.get(name);
  }

  /** Keeps a query that comes for the second time, unless its response is for nobody else. @returns it */
  add(name: string, query: ReadQuery): ReadQuery {
    if (query.etag === undefined || name.length > NAME_MAX_CHARACTERS) return query;
    if (this.once.has(name)) this.queries.set(name, query);
    else this.once.set(name, true);
    return query;
  }

  /** Keeps a body of the response for the next time, unless the query was asked for the first time. */
  keep(name: string, coding: Coding, body: Body): void {
    const query = this.queries.get(name);
    if (!query || body.bytes.length > BODY_MAX_BYTES) return;
    this.queries.set(name, { ...query, bodies: { ...query.bodies, [coding]: body } });
  }
}

function sizeOf({ bodies = {} }: ReadQuery, name: string): number {
  const bytes = Object.values(bodies).map((body) => body.bytes.length);
  return bytes.reduce((sum, length) => sum + length, OVERHEAD_BYTES + 2 * name.length);
}
