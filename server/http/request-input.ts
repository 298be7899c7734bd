/**
 * Request input: what is wrong with a request whatever it asks for, and its parameters as text by name, from the query of a GET or the
 * JSON body of a POST. parameters/parameters.ts validates them.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { isRecord, MemberFault, parseJson } from '../../pipeline/json/exact-json.js';
import { LIMITS, type Limit } from '../limits.js';
import { faultAt, Problem } from '../problem.js';
import { nextTurn } from './event-loop.js';
import { shapeFault } from './json-shape.js';

const { url: URL_MAX, body: BODY_MAX, drained: DRAINED_MAX, pointer: POINTER_MAX } = LIMITS.input;

export const URL_TOO_LONG =
  `the URL is longer than the limit of ${URL_MAX.max} bytes; ` +
  'send long tags and asset_decisions as the JSON body of a POST to the same path (userTags, assetDecisions)';

/** Requires a host, a URL of bearable length, and a body that is not coded on its way. @throws Problem bad_request */
export function requireWellFormed({ rawHeaders, headers, httpVersionMinor, url }: IncomingMessage): void {
  const hosts = rawHeaders.filter(
    (name, i) => i % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  ).length;
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) {
    throw new Problem('bad_request', 'an HTTP/1.1 request has the header Host, once');
  }
  if (url!.length > URL_MAX.max) throw new Problem('bad_request', URL_TOO_LONG);
  // Node.js takes any list of codings that ends with chunked, and undoes that one alone.
  const coding = headers['transfer-encoding'] ?? 'chunked';
  if (coding.toLowerCase() !== 'chunked') {
    throw new Problem('bad_request', 'no transfer-encoding but chunked is understood', CLOSING);
  }
}

/** The answer is the last one of its connection. */
const CLOSING = { headers: { Connection: 'close' } } as const;

/** Requests whose sender waits to be asked for the body (RFC 9110, 10.1.1), each with what asks for it. */
const awaited = new WeakMap<IncomingMessage, () => void>();

/** Answers a request with `Expect: 100-continue`. A sender that was not asked for the body may send it or not: its connection ends. */
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

/** Asks for a body that its sender holds back, unless it is too large. @throws Problem bad_request */
function askForBody(request: IncomingMessage, most: number): void {
  const ask = awaited.get(request);
  if (ask && Number(request.headers['content-length']) > most) throw tooLarge(most);
  ask?.();
}

/** Scheme and host of a whole URL, and the slash that its path begins with. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?/i;

/**
 * Finds the path of a URL as sent. Clients of a proxy send whole URLs, and anything else may come as well. Nothing is parsed: to encode a
 * host in thousands of scripts' letters takes time by its square.
 */
export const pathOf = (url: string): string => url.replace(ORIGIN, '/').split(/[?#]/, 1)[0]!;

/** Characters of scheme and host of a whole URL: a name has 253 at most. */
const ORIGIN_MAX_CHARACTERS = 300;

/**
 * Reduces the target of a request to path and query: `http://host/a?b#c` → `/a?b`. Whoever reads the path later, as Koa does at each
 * `ctx.path`, then parses no host, which could throw.
 * @returns whether it was a path, `*` or a URL of http
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
 * Reads a query: `a=1&b=x%20y&a=2` → {a: ['1', '2'], b: ['x y']}.
 * @throws Problem bad_request for malformed percent-encoding: URLSearchParams would guess
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

/**
 * Reads the JSON body of a request, and gives it with its bytes as they came.
 * @param most bytes that the endpoint takes
 * @param admit waits with a body of so many bytes until it may be parsed
 * @throws Problem bad_request for another content type, too many bytes or values, malformed UTF-8 or JSON, or a member that is named
 * twice; validation_failed for JSON that is no object
 */
export async function readJsonBody(request: IncomingMessage, most: Limit, admit?: (bytes: number) => Promise<void>) {
  requireJson(request);
  const body = await readBody(request, most.max);
  if (body.length <= BODY_MAX.max) return { body, value: parseObject(body) };
  await admit?.(body.length);
  const fault = shapeFault(body);
  if (fault) throw new Problem('bad_request', `the body ${fault}`);
  await nextTurn();
  const value = parseObject(body);
  await nextTurn(); // parsing has taken its share: others go before the values are read
  return { body, value };
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
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
  if (encoding !== 'identity') throw new Problem('bad_request', `content-encoding ${encoding} is not understood`);
}

async function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  askForBody(request, most);
  // Leaving the loop must not destroy the socket: the answer still has to go out.
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
