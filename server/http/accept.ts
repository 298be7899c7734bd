/** Forms of an answer by the header Accept (RFC 9110, 12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/**
 * The forms of a list on offer; of those that a client accepts alike, the first one. A type that is asked for with a parameter means
 * none without it, so that they are offered with theirs.
 */
const LIST_TYPES = ['text/csv; charset=utf-8; header=present', 'application/json; charset=utf-8'];

/** Tells whether a client accepts JSON rather than CSV; a wildcard and no word about it prefer neither. */
export const acceptsJson = (request: IncomingMessage): boolean =>
  request.headers.accept !== undefined && new Negotiator(request).mediaType(LIST_TYPES) === LIST_TYPES[1];
