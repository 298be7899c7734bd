import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { LIMITS } from './limits.js';

/** In order of preference. A type that the client requests with parameters matches only a type that has them. */
const LIST_TYPES = ['text/csv; charset=utf-8; header=present', 'application/json; charset=utf-8'];

/** Returns whether the header Accept prefers JSON. Wildcards and very long headers do not count. */
export function acceptsJson(request: IncomingMessage): boolean {
  const { accept } = request.headers;
  if (!accept || accept.length > LIMITS.input.accept.max) return false;
  return new Negotiator(request).mediaType(LIST_TYPES) === LIST_TYPES[1];
}
