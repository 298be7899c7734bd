/** Reads the query or the JSON body of a request. The code in server/tax/parameters validates parameters later. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { isRecord, MemberFault, parseJson } from '../../pipeline/base/json/exact-json.js';
import { shapeFault } from './json-shape.js';
import { LIMITS, type Limit } from './limits.js';
import { faultAt, Problem } from './problem.js';

const { url: URL_MAX, body: BODY_MAX, drained: DRAINED_MAX, pointer: POINTER_MAX } = LIMITS.input;

export const URL_TOO_LONG =
  `the URL is longer than the limit of ${URL_MAX.max} bytes; ` +
  'send long tags and asset_decisions as the JSON body of a POST to the same path (userTags, assetDecisions)';

export function requireWellFormed({ rawHeaders, headers, httpVersionMinor, url }: IncomingMessage): void {
  const hosts = rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  ).length;
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) {
    throw new Problem('bad_request', 'an HTTP/1.1 request must have exactly one Host header');
  }
  if (url!.length > URL_MAX.max) throw new Problem('bad_request', URL_TOO_LONG);
  // Other codings are refused. Node.js accepts "gzip, chunked", for example, but decodes only chunked.
  const coding = headers['transfer-encoding'] ?? 'chunked';
  if (coding.toLowerCase() !== 'chunked') {
    throw new Problem('bad_request', 'transfer-encoding must be chunked', CLOSING);
  }
}

const CLOSING = { headers: { Connection: 'close' } } as const;

/** Functions that send 100 Continue for a request with `Expect: 100-continue` (RFC 9110, 10.1.1). */
const awaited = new WeakMap<IncomingMessage, () => void>();

/**
 * Delays 100 Continue until an endpoint reads the body. If no endpoint reads the body, closes the connection, because
 * the client may or may not send it.
 */
export const expectContinue =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    const { shouldKeepAlive } = response;
    response.shouldKeepAlive = false;
    awaited.set(request, () => {
      response.shouldKeepAlive = shouldKeepAlive;
      response.writeContinue();
    });
    answer(request, response);
  };

function askForBody(request: IncomingMessage, most: number): void {
  const ask = awaited.get(request);
  if (ask && Number(request.headers['content-length']) > most) throw tooLarge(most);
  ask?.();
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i;

/**
 * Returns the path of a URL, even if the URL is absolute or invalid. `new URL` would take quadratic time for long
 * hosts.
 */
export const pathOf = (url: string): string => url.replace(ORIGIN, '/').split(/[?#]/, 1)[0]!;

const ORIGIN_MAX_CHARACTERS = 300;

/**
 * Reduces an absolute URL such as `http://host/a?b#c` to `/a?b`, because `ctx.path` would throw for invalid hosts.
 * @returns false if the target is not a path, `*` or an http URL
 */
export function reduceTarget(request: IncomingMessage): boolean {
  const { url: target = '' } = request;
  const path = target.replace(ORIGIN, '/').replace(/[#\s].*$/s, '');
  const isPath = path.startsWith('/') || path === '*';
  request.url = isPath ? path : '/';
  const [origin] = ORIGIN.exec(target) ?? [];
  return isPath && (origin === undefined || isHttp(origin));
}

const isHttp = (origin: string) =>
  origin.length <= ORIGIN_MAX_CHARACTERS && /^https?:/i.test(origin) && URL.canParse(origin);

/**
 * Parses a query: `a=1&b=x%20y&a=2` becomes {a: ['1', '2'], b: ['x y']}.
 * @throws Problem bad_request for invalid percent-encoding, which URLSearchParams would accept
 */
export function readQuery(query: string): ReadonlyMap<string, string[]> {
  const given = new Map<string, string[]>();
  if (query === '') return given;
  for (const part of query.split('&')) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    const name = decode(cut < 0 ? part : part.slice(0, cut), 'the name of a query parameter', '');
    const value = cut < 0 ? '' : decode(part.slice(cut + 1), `query parameter ${name}`, name);
    const values = given.get(name);
    if (values) values.push(value);
    else given.set(name, [value]);
  }
  return given;
}

function decode(text: string, what: string, path: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    const message = 'malformed percent-encoding';
    throw new Problem('bad_request', `${message} in ${what}`, { errors: [{ path, message }] });
  }
}

export async function readJsonBody(request: IncomingMessage, most: Limit): Promise<Buffer> {
  requireJson(request);
  return readBody(request, most.max);
}

export function parseBody(body: Uint8Array): Readonly<Record<string, unknown>> {
  const fault = body.length > BODY_MAX.max ? shapeFault(body) : undefined;
  if (fault) throw new Problem('bad_request', `the body ${fault}`);
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof MemberFault) throw faultAt(error.path.slice(1, POINTER_MAX.max), error.message);
    throw new Problem('bad_request', `the body is not JSON in UTF-8: ${(error as Error).message}`);
  }
  if (!isRecord(value)) {
    const message = 'must be a JSON object';
    throw new Problem('validation_failed', `the body ${message}`, { errors: [{ path: '', message }] });
  }
  return value;
}

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?;?$/i;

function requireJson(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (type === undefined || !JSON_TYPE.test(type)) {
    throw new Problem('bad_request', 'send the body as content-type: application/json in UTF-8');
  }
  if (encoding !== 'identity') throw new Problem('bad_request', `content-encoding ${encoding} is not supported`);
}

async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  askForBody(request, most);
  // The option is needed because leaving this loop would otherwise close the socket before the response is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size <= most) chunks.push(chunk as Buffer);
    else if (size > DRAINED_MAX.max) break;
  }
  if (size <= most) return Buffer.concat(chunks);
  throw tooLarge(most);
}

const tooLarge = (most: number) =>
  new Problem('bad_request', `the body is larger than the limit of ${shownBytes(most)}`, CLOSING);

const MIB = 1024 * 1024;

const shownBytes = (bytes: number) => `${bytes >= MIB ? `${bytes / MIB} MiB` : `${bytes / 1024} KiB`} (${bytes} bytes)`;
