/** Forms of an answer by the header Accept (RFC 9110, 12.5.1). */
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';

/** The forms of a list on offer; of those that a client accepts alike, the first one. */
const LIST_TYPES = ['text/csv', 'application/json'];

/** Tells whether a client accepts JSON rather than CSV; a wildcard and no word about it prefer neither. */
export const acceptsJson = (request: IncomingMessage): boolean =>
  request.headers.accept !== undefined && new Negotiator(request).mediaType(LIST_TYPES) === LIST_TYPES[1];
