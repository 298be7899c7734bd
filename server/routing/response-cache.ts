/**
 * The response cache: public reads that were asked for lately. Callers ask the same again and again, and reading, checking and writing
 * an answer is nine tenths of its cost. What a caller tells about itself never comes here.
 */
import { LRUCache } from 'lru-cache';
import type { Coding } from '../http/content-coding.js';
import type { ValidParameters } from '../parameters/parameters.js';

/** A valid query. */
export interface ReadQuery {
  readonly parameters: ValidParameters;
  /** The response that it asks for; undefined where that is for nobody else. */
  readonly shared: SharedResponse | undefined;
}

/** A response that anybody gets who asks for the same. */
export interface SharedResponse {
  /** Names of its bodies by coding; equal exactly when the response is: dataset, path and canonical parameters. */
  readonly names: Readonly<Record<Coding, string>>;
  /** Known before the response is made. */
  readonly etag: string;
}

/** @param text equal exactly when the response is */
export const sharedResponse = (text: string, etag: string): SharedResponse => ({
  names: { gzip: `gzip ${text}`, br: `br ${text}`, identity: `identity ${text}` },
  etag,
});

/** A body as it goes out. */
export interface Body {
  readonly type: string;
  readonly coding: Coding;
  readonly bytes: Buffer;
  readonly fileName?: string | undefined;
}

const BODIES_MAX_BYTES = 16 * 1024 * 1024;
const BODY_MAX_BYTES = 512 * 1024;
const QUERIES_MAX_BYTES = 4 * 1024 * 1024;
const QUERY_MAX_CHARACTERS = 512;
/** About what an entry takes beside its texts. */
const OVERHEAD_BYTES = 1024;

export class ResponseCache {
  /** Query texts as sent. */
  private readonly queries = new LRUCache<string, ReadQuery>({
    maxSize: QUERIES_MAX_BYTES,
    sizeCalculation: (_, name) => OVERHEAD_BYTES + 2 * name.length,
  });
  private readonly bodies = new LRUCache<string, Body>({
    maxSize: BODIES_MAX_BYTES,
    maxEntrySize: BODY_MAX_BYTES,
    sizeCalculation: ({ bytes }, name) => OVERHEAD_BYTES + bytes.length + 2 * name.length,
  });

  /**
   * A query as it was read before, or as it is read now.
   * @param version everything beside the query that decides what it means
   * @param read what it throws is not kept, and neither is a query whose response is for nobody else
   */
  query(version: string, path: string, text: string, read: () => ReadQuery): ReadQuery {
    if (text.length > QUERY_MAX_CHARACTERS) return read();
    const name = `${version} ${path}?${text}`;
    const known = this.queries.get(name);
    if (known) return known;
    const query = read();
    if (query.shared) this.queries.set(name, query);
    return query;
  }

  /** @param name of a response in the coding that was asked for; a small body goes out as it is whatever that is */
  body(name: string): Body | undefined {
    return this.bodies.get(name);
  }

  keep(name: string, body: Body): void {
    this.bodies.set(name, body);
  }
}
