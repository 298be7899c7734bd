/** Content negotiation with Accept (RFC 9110, 12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { LIMITS } from './limits.js';

/** In order of preference. Parameters are included because a type requested with a parameter matches only with it. */
const LIST_TYPES = ['text/csv; charset=utf-8; header=present', 'application/json; charset=utf-8'];

/** Returns false for wildcards, a missing header or a too long one. */
export function acceptsJson(request: IncomingMessage): boolean {
  const { accept } = request.headers;
  if (!accept || accept.length > LIMITS.input.accept.max) return false;
  return new Negotiator(request).mediaType(LIST_TYPES) === LIST_TYPES[1];
}
