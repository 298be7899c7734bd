/** Requests to endpoints with short bodies, and with long queries and headers. */
import { EVENTS, fill, type HostileRequest, hash } from './request.js';

const CONTRACT = 'cosmos1suhgf5svhu4usrurvxzlgn54ksxmn8gljarjtxqnapv8kjnp4nrs2zhgh2';
const LONG = 'x'.repeat(15_000);

/** Bodies of up to 16 KiB, by name. */
const SHORT: Readonly<Record<string, string>> = {
  'long texts': JSON.stringify({ name: LONG, address: LONG, url: `https://${LONG}`, note: LONG }),
  'many items': `{"scopes":[${'1,'.repeat(3500)}1],"events":[${'1,'.repeat(3500)}1]}`,
  'many members': `{${fill((i) => `"${i}":1`, 1500)}}`,
};

const SHORT_PATHS = [
  '/api/account/v1/keys',
  '/api/account/v1/sign-in/challenge',
  '/api/account/v1/sign-in',
  '/api/upgrades/v1/webhooks',
  '/api/tax/v1/submissions',
];

/** Messages to contracts, by name. */
const MESSAGES: Readonly<Record<string, string>> = {
  'deep message': `${'{"a":'.repeat(12_000)}1${'}'.repeat(12_000)}`,
  'wide message': `{${fill((i) => `"${i}":1`, 7000)}}`,
};

/** Queries behind an address, by name. */
const QUERIES: Readonly<Record<string, string>> = {
  'a parameter again and again': 'a=&'.repeat(20_000),
  'many parameters': fill((i) => `${i.toString(36)}=`, 12_000).replaceAll(',', '&'),
  'percent signs': `a=${'%41'.repeat(21_000)}`,
  tags: `tags=${encodeURIComponent(`{${fill((i) => `"${hash(i)}":"income"`, 700)}}`)}`,
  'deep tags': `tags=${'['.repeat(64_000)}`,
};

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['accept', 'a/b;q=0.1,'.repeat(10_000)],
  ['accept-encoding', 'gzip;q=0.1,'.repeat(9000)],
  ['cookie', 'a=b; '.repeat(20_000)],
  ['authorization', `Bearer ${'a'.repeat(100_000)}`],
  ['if-none-match', 'W/"a",'.repeat(17_000)],
  ['x-forwarded-for', '1.2.3.4,'.repeat(13_000)],
  ['origin', `https://${'a.'.repeat(50_000)}example`],
  ['range', `bytes=${'0-1,'.repeat(20_000)}0-1`],
];

/** @param address anybody's */
export function requestsElsewhere(address: string): HostileRequest[] {
  const post = (path: string, name: string, body: string): HostileRequest => ({
    name: `${path}: ${name}`,
    method: 'POST',
    path,
    body,
  });
  const get = (name: string, query: string, headers: Readonly<Record<string, string>> = {}): HostileRequest => ({
    name,
    method: 'GET',
    path: `${EVENTS}?address=${address}&${query}`,
    headers,
  });
  return [
    ...SHORT_PATHS.flatMap((path) => Object.entries(SHORT).map(([name, body]) => post(path, name, body))),
    ...Object.entries(MESSAGES).map(([name, message]) =>
      post('/api/v1/query', name, `{"network":"mainnet","contract":"${CONTRACT}","query":${message}}`),
    ),
    ...Object.entries(QUERIES).map(([name, query]) => get(`query: ${name}`, query)),
    ...HEADERS.map(([name, value]) => get(`header ${name}`, '', { [name]: value })),
  ];
}
