/** Forms of an answer by the header Accept (RFC 9110, 12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { LIMITS } from '../limits.js';

/**
 * The forms of a list on offer; of those that a client accepts alike, the first one. A type that is asked for with a parameter means
 * none without it, so that they are offered with theirs.
 */
const LIST_TYPES = ['text/csv; charset=utf-8; header=present', 'application/json; charset=utf-8'];

/** Tells whether a client accepts JSON rather than CSV; a wildcard, no word about it and too many words prefer neither. */
export function acceptsJson(request: IncomingMessage): boolean {
  const { accept } = request.headers;
  if (!accept || accept.length > LIMITS.input.accept.max) return false;
  return new Negotiator(request).mediaType(LIST_TYPES) === LIST_TYPES[1];
}
