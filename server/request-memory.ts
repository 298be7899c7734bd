/**
 * What plain requests turned out to mean. Callers ask the same again and again, and reading and checking a query is a
 * third of the work of a stored answer.
 */
import type { ValidParameters } from './parameters/parameters.js';

export interface ReadRequest {
  readonly parameters: ValidParameters;
  /** What names the answer; undefined for one that is for nobody else. */
  readonly shared: SharedAnswer | undefined;
}

/** An answer that anybody may get who asks for the same. */
export interface SharedAnswer {
  /** Equal exactly when the answer is, within a dataset and an endpoint. */
  readonly canonical: string;
  readonly etag: string;
}

/** Entries and characters of a query that are remembered, so that no caller can fill the memory. */
const MOST_ENTRIES = 10_000;
const LONGEST_QUERY = 512;

/** Of requests whose `shared` is undefined nothing is remembered. */
export class RequestMemory<Request extends { readonly shared: unknown } = ReadRequest> {
  private readonly known = new Map<string, Request>();
  private version = '';

  /**
   * @param version what the meaning of a query depends on beside the query; another one forgets all
   * @param read called for a query that is not known; what it throws is not remembered
   */
  recall(version: string, path: string, query: string, read: () => Request): Request {
    if (query.length > LONGEST_QUERY) return read();
    if (version !== this.version || this.known.size >= MOST_ENTRIES) this.known.clear();
    this.version = version;
    const key = `${path}?${query}`;
    const found = this.known.get(key);
    if (found) return found;
    const request = read();
    // What a caller tells about itself is kept by nobody.
    if (request.shared) this.known.set(key, request);
    return request;
  }
}
