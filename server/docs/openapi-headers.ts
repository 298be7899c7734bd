/** Response headers as the OpenAPI document describes them. */

import { EXACT_INTEGER } from './openapi-schemas.js';

const integer = EXACT_INTEGER;
const text = { type: 'string' };

/** The headers that an answer of the interface can carry and that a client may rely on. */
export const DESCRIBED_HEADERS = {
  'X-Request-Id': {
    description: "The request's own id where it sent a well-formed one, else a new one.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,128}$' },
  },
  'Cache-Control': { description: 'How long the answer may be kept, and by whom.', schema: text },
  Vary: { description: 'Request headers that choose between forms of the same answer.', schema: text },
  ETag: {
    description:
      'Tag of the answer for If-None-Match, also where it is for its caller alone; that of a saved entry is strong, for If-Match.',
    schema: { type: 'string', pattern: '^(W/"[0-9a-f]+\\.[0-9a-f]{16}"|"[0-9a-f]{32}")$' },
  },
  'X-Block-Height': {
    description: 'Block whose state answered; 0 when no node has said.',
    schema: integer,
  },
  'X-Coverage': {
    description:
      'The member `coverage` of the JSON form, less its note, as a JSON object; only with files: CSV, text, PDF.',
    schema: text,
  },
  'X-Ignored-Parameters': {
    description:
      'Names of parameters, or members of a body, that nobody reads, percent-encoded, separated by commas; the first twenty.',
    schema: text,
  },
  'X-Saved-Opening-Lots': {
    description: 'The member `saved_opening_lots` of the JSON form.',
    schema: integer,
  },
  'X-Dataset': {
    description: 'The generation that answered, as a JSON object: `generation` and `height`, that of its last block.',
    schema: { type: 'string', pattern: '^\\{"generation":"[^"]+","height":\\d+\\}$' },
  },
  RateLimit: {
    description: 'Requests left in the window and seconds until it ends.',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' },
  },
  'RateLimit-Policy': {
    description: 'Requests allowed in a window and its seconds.',
    schema: { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
  },
  'X-RateLimit-Limit': { description: 'Requests allowed in a window.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in it.', schema: integer },
  'X-RateLimit-Reset': { description: 'When it ends, in seconds since 1970-01-01 UTC.', schema: integer },
  'Retry-After': { description: 'Seconds to wait before asking again.', schema: { ...integer, minimum: 1 } },
  Deprecation: {
    description: 'When it was announced that the endpoint goes, as a structured-field date (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'When it goes, as an HTTP date (RFC 8594).', schema: text },
  Link: {
    description: "The changelog's entry (`deprecation`) and what takes its place (`successor-version`).",
    schema: text,
  },
  'WWW-Authenticate': { description: 'How to say who calls (RFC 6750).', schema: text },
  'Set-Cookie': { description: 'The session, where it begins or ends.', schema: text },
  'Idempotent-Replayed': {
    description: 'The answer is that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: { description: 'Where to go on.', schema: text },
  'Content-Disposition': { description: 'Suggests a file name; only with files: CSV, text, PDF.', schema: text },
} as const;

export type HeaderName = keyof typeof DESCRIBED_HEADERS;

const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Vary'];
const LIMITED: readonly HeaderName[] = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

const RETIRED: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The headers that an answer always carries. */
export const standardHeaders = (limited: boolean, retired: boolean): HeaderName[] => [
  ...ALWAYS,
  ...(limited ? LIMITED : []),
  ...(retired ? RETIRED : []),
];

/** The member `headers` of a response. */
export function describeHeaders(required: readonly HeaderName[], optional: readonly HeaderName[] = []) {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, DESCRIBED_HEADERS[name]]),
  ]);
}

/** The response to a read whose answer its caller has already. */
export const notModified = (headers: readonly HeaderName[]) => ({
  description: 'As the answer that If-None-Match names.',
  headers: describeHeaders([...headers, 'ETag']),
});

/** Components with the headers that an answer of the paths must carry. */
export function headerComponents(paths: object) {
  const text = JSON.stringify(paths);
  const used = Object.entries(DESCRIBED_HEADERS).filter(([name]) => text.includes(`#/components/headers/${name}"`));
  return Object.fromEntries(used.map(([name, header]) => [name, { ...header, required: true }]));
}
