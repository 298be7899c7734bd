import { EXACT_INTEGER } from './openapi-schemas.js';

const integer = EXACT_INTEGER;
const text = { type: 'string' };

/** Headers that clients may rely on. */
export const DESCRIBED_HEADERS = {
  'X-Request-Id': {
    description: 'The id that the request sent, if it is well-formed; else a new id.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,128}$' },
  },
  'Cache-Control': { description: 'How long the answer may be cached, and by which caches.', schema: text },
  Vary: { description: 'Request headers that select the format of the answer.', schema: text },
  ETag: {
    description:
      'Tag of the answer for If-None-Match, also for private answers. Saved entries have a strong tag for If-Match.',
    schema: { type: 'string', pattern: '^(W/"[0-9a-f]+\\.[0-9a-f]{16}"|"[0-9a-f]{32}")$' },
  },
  'X-Block-Height': {
    description: 'Block whose state answered; 0 if unknown.',
    schema: integer,
  },
  'X-Coverage': {
    description:
      'The member `coverage` of the JSON form without its note, as a JSON object; only for files: CSV, text, PDF.',
    schema: text,
  },
  'X-Ignored-Parameters': {
    description: 'Names of unknown parameters or body members, percent-encoded, separated by commas; at most twenty.',
    schema: text,
  },
  'X-Saved-Opening-Lots': {
    description: 'The member `saved_opening_lots` of the JSON form.',
    schema: integer,
  },
  'X-Dataset': {
    description:
      'The dataset generation that answered, as a JSON object: `generation` and `height` (of its last block).',
    schema: { type: 'string', pattern: '^\\{"generation":"[^"]+","height":\\d+\\}$' },
  },
  RateLimit: {
    description: 'Requests left in the window, and seconds until it ends.',
    schema: { type: 'string', pattern: '^"[a-z-]+";r=\\d+;t=\\d+$' },
  },
  'RateLimit-Policy': {
    description: 'Requests allowed in a window, and its length in seconds.',
    schema: { type: 'string', pattern: '^"[a-z-]+";q=\\d+;w=\\d+$' },
  },
  'X-RateLimit-Limit': { description: 'Requests allowed in a window.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Requests left in the window.', schema: integer },
  'X-RateLimit-Reset': { description: 'End of the window, in seconds since 1970-01-01 UTC.', schema: integer },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { ...integer, minimum: 1 } },
  Deprecation: {
    description: 'Day on which the end of the endpoint was announced, as a structured-field date (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'Day on which the endpoint ends, as an HTTP date (RFC 8594).', schema: text },
  Link: {
    description: 'The changelog entry (`deprecation`) and the replacement (`successor-version`).',
    schema: text,
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6750).', schema: text },
  'Set-Cookie': { description: 'Set if a session begins or ends.', schema: text },
  'Idempotent-Replayed': {
    description: 'The answer was made for an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: { description: 'URL of the redirect.', schema: text },
  'Content-Disposition': { description: 'Suggested file name; only for files: CSV, text, PDF.', schema: text },
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

export const standardHeaders = (limited: boolean, retired: boolean): HeaderName[] => [
  ...ALWAYS,
  ...(limited ? LIMITED : []),
  ...(retired ? RETIRED : []),
];

export function describeHeaders(required: readonly HeaderName[], optional: readonly HeaderName[] = []) {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, DESCRIBED_HEADERS[name]]),
  ]);
}

/** The 304 response. */
export const notModified = (headers: readonly HeaderName[]) => ({
  description: 'Unchanged since the answer with the ETag in If-None-Match.',
  headers: describeHeaders([...headers, 'ETag']),
});

/** Returns the required headers in use. */
export function headerComponents(paths: object) {
  const text = JSON.stringify(paths);
  const used = Object.entries(DESCRIBED_HEADERS).filter(([name]) => text.includes(`#/components/headers/${name}"`));
  return Object.fromEntries(used.map(([name, header]) => [name, { ...header, required: true }]));
}
