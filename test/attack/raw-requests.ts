/**
 * Raw requests: seeded bytes that are HTTP, nearly HTTP or not HTTP, sent in pieces, pipelined or cut. The server must send complete
 * answers, and every refusal must be a problem or a page.
 */
import { connect } from 'node:net';
import type { Attack } from './suite.js';
import type { Seeded } from './visitor.js';

/** A conversation ends after this time without a byte. */
const QUIET_MS = 1000;
const AT_ONCE = 80;

const HOSTS = [
  ...[
    'x',
    '[::1',
    '[::1]',
    'xn--a',
    '[',
    ']',
    'user@[::1',
    'a:b@c',
    '',
    ':',
    '%zz',
    '%5B',
    'a b',
    '[v1.x]',
    '1.2.3',
    '0x7f.1',
  ],
  ...[
    'xn--',
    'ä',
    '.',
    '..',
    'a:99999',
    'a:-1',
    '::',
    '\\',
    '^',
    '|',
    '<>',
    'a\0b',
    'x'.repeat(300),
    'xn--0.xn--a.'.repeat(20),
  ],
];
const PATHS = [
  ...[
    '/',
    '/healthz',
    '/readyz',
    '/metrics',
    '/llms.txt',
    '/assets/',
    '/assets/..%2f',
    '/datasets/',
    '//',
    '/%',
    '/%00',
    '/%zz',
  ],
  ...[
    '/api/tax/v1/events?address=',
    '/api/tax/v1/journal?address=x&format=csv',
    '/api/tax/v1/tags',
    '/api/tax/v1/positions?',
  ],
  ...['/api/account/v1/me', '/api/account/v1/link/x', '/api/account/v1/keys', '/api/account/v1/sign-in/challenge'],
  ...[
    '/api/v1/query?network=mainnet&contract=a&query={',
    '/api/v1/contract/%ff',
    '/api/upgrades/v1/webhooks',
    '/docs/conventions',
  ],
  ...[
    '/a#b',
    '//user@[::1#',
    '/\\',
    '/?a=%ff&a',
    '/..;/',
    '/.%2e/',
    '*',
    '',
    '?',
    '#',
    '/constructor',
    '/__proto__',
    '/x'.repeat(2000),
  ],
];
const SCHEMES = [
  'http://',
  'HTTP://',
  'https://',
  'x://',
  'ftp://',
  'javascript:',
  'file:///',
  'http:',
  'http:///',
  '//',
  'ws://',
];
const METHODS = [
  ...[
    'GET',
    'GET',
    'GET',
    'HEAD',
    'POST',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'CONNECT',
    'TRACE',
    'PROPFIND',
    'QUERY',
  ],
  ...['BREW', 'get', 'G', '', 'PRI', 'SOURCE', 'M-SEARCH', 'A'.repeat(300), '\xff'],
];
const VERSIONS = [
  ...new Array(12).fill('HTTP/1.1'),
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.2',
  'http/1.1',
  'HTTP/',
  '',
  'RTSP/1.0',
];
const NAMES = [
  ...[
    'Host',
    'Connection',
    'Content-Length',
    'Transfer-Encoding',
    'Content-Type',
    'Expect',
    'Upgrade',
    'Cookie',
    'Authorization',
  ],
  ...[
    'Accept',
    'Accept-Encoding',
    'Range',
    'If-None-Match',
    'If-Match',
    'Origin',
    'Access-Control-Request-Method',
    'X-Request-Id',
  ],
  ...[
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'Idempotency-Key',
    'Content-Encoding',
    'Trailer',
    'TE',
    'Keep-Alive',
    'X: y',
    '__proto__',
  ],
];
const VALUES = [
  ...[
    '',
    'x',
    'close',
    'keep-alive',
    'upgrade',
    'websocket',
    'h2c',
    '0',
    '5',
    '-1',
    '1e9',
    '99999999999999999999',
    'chunked',
    'gzip',
  ],
  ...[
    'chunked, gzip',
    'identity',
    'application/json',
    'text/html',
    '100-continue',
    '*/*',
    'gzip;q=0',
    'br, *;q=',
    'bytes=0-',
    '"a',
    '*',
  ],
  ...[
    'W/"a", "b',
    'null',
    'https://evil.example',
    'http',
    '::1',
    '127.0.0.1',
    '1.2.3.4, [::1',
    'Bearer ',
    'Bearer hl_x',
    'Basic \0',
  ],
  ...[
    '__Secure-hubledger.session-token=a; __Secure-hubledger.session-token=',
    '=;=;;',
    '\t',
    'a\rb',
    'é',
    '\x00',
    'x'.repeat(9000),
  ],
];
const BODIES = [
  ...[
    '',
    '{',
    '{}',
    '[]',
    'null',
    '{"address":"a"}',
    '{"address":["a","b"]}',
    '{"__proto__":{}}',
    '{"a":1,"a":2}',
    '\xff\xfe',
    '"\\ud800"',
  ],
  ...[
    `${'['.repeat(5000)}`,
    '1e999',
    '5\r\nhello\r\n0\r\n\r\n',
    '5\r\nhel',
    'zz\r\n',
    '0\r\nX: y\r\n\r\n',
    '-1\r\n',
    'fffffffffffffffff\r\n',
  ],
];

/** The last request of most conversations; it closes the connection. */
const LAST = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** Returns the pieces of a conversation as Latin-1 texts. */
function rawConversation(random: Seeded): string[] {
  let text = '';
  for (let left = random.below(4); left >= 0; left--) text += random.below(20) === 0 ? noise(random) : request(random);
  if (random.below(4) > 0) text += LAST;
  if (random.below(6) === 0) text = text.slice(0, random.below(text.length + 1));
  const cut = random.below(3) === 0 ? random.below(text.length + 1) : text.length;
  return [text.slice(0, cut), text.slice(cut)].filter((piece) => piece !== '');
}

const oneOf = <Item>(random: Seeded, items: readonly Item[]): Item => items[random.below(items.length)]!;
const noise = (random: Seeded) => Buffer.from(random.bytes(random.below(200))).toString('latin1');

function request(random: Seeded): string {
  const end = random.below(30) === 0 ? '\n' : '\r\n';
  const lines = [`${oneOf(random, METHODS)} ${target(random)} ${oneOf(random, VERSIONS)}`];
  if (random.below(8) > 0) lines.push('Host: x');
  for (let left = random.below(4); left > 0; left--) lines.push(header(random));
  const body = random.below(3) === 0 ? oneOf(random, BODIES) : '';
  if (body !== '' && random.below(4) > 0) {
    lines.push(random.below(2) === 0 ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked');
    lines.push('Content-Type: application/json');
  }
  return `${lines.join(end)}${end}${end}${body}`;
}

/** Returns a path, a path with an extra character, or a URL with an odd host. */
function target(random: Seeded): string {
  const path = oneOf(random, PATHS);
  switch (random.below(4)) {
    case 0:
      return oneOf(random, SCHEMES) + oneOf(random, HOSTS) + path;
    case 1:
      return path + String.fromCharCode(random.below(256));
    default:
      return path;
  }
}

function header(random: Seeded): string {
  switch (random.below(25)) {
    case 0:
      return noise(random);
    case 1:
      return ` ${oneOf(random, VALUES)}`;
    default:
      return `${oneOf(random, NAMES)}: ${oneOf(random, VALUES)}`;
  }
}

interface RawFaults {
  readonly answers: number;
  /** Each with the bytes that were sent. */
  readonly faults: readonly string[];
}

/** Holds conversations with a local port, some at a time. */
export async function talkRaw(port: number, count: number, random: Seeded): Promise<RawFaults> {
  const faults: string[] = [];
  let answers = 0;
  let left = count;
  const talk = async () => {
    while (left-- > 0) {
      const pieces = rawConversation(random);
      const received = await converse(port, pieces);
      const read = readAnswers(received);
      answers += read.answers;
      if (read.fault !== undefined)
        faults.push(`${read.fault}: ${JSON.stringify(pieces)} → ${JSON.stringify(received)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, talk));
  return { answers, faults };
}

/** Sends the pieces of a conversation. @returns all received bytes */
function converse(port: number, pieces: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    let received = '';
    socket.setEncoding('latin1').on('data', (part) => {
      received += part;
    });
    socket.setTimeout(QUIET_MS, () => socket.destroy());
    socket.on('error', () => undefined).on('close', () => resolve(received));
    socket.on('connect', () => {
      const [first = '', ...rest] = pieces;
      socket.write(first, 'latin1');
      for (const piece of rest) setImmediate(() => socket.write(piece, 'latin1'));
    });
  });
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[!-9;-~]+: [^\r\n]*\r\n)*)\r\n/;

/** Reads answers one after another; the last may be incomplete. @returns their number and the first fault */
function readAnswers(received: string): { answers: number; fault?: string } {
  let answers = 0;
  for (let rest = received; rest !== ''; answers++) {
    const head = HEAD.exec(rest);
    if (!head) return { answers, fault: 'no answer' };
    const [all, status, lines = ''] = head;
    rest = rest.slice(all.length);
    if (status === '100') continue;
    const headers = new Map(
      lines.split('\r\n').map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    if (!headers.has('x-request-id')) return { answers, fault: 'no request id' };
    if (Number(status) >= 500 && status !== '502' && status !== '503') return { answers, fault: `a ${status}` };
    const hasBody = rest !== '' && !rest.startsWith('HTTP/1.1 '); // HEAD and 304 have none
    if (!hasBody) continue;
    const length = headers.get('content-length');
    if (length === undefined) return { answers }; // chunked, so a long answer
    const body = rest.slice(0, Number(length));
    rest = rest.slice(Number(length));
    if (body.length < Number(length)) return { answers };
    const fault =
      Number(status) >= 400 ? refusalFault(Number(status), headers.get('content-type') ?? '', body) : undefined;
    if (fault !== undefined) return { answers, fault };
  }
  return { answers };
}

/** Returns the fault of a refusal, which must be a problem (RFC 9457) or a page for browsers. */
function refusalFault(status: number, type: string, body: string): string | undefined {
  if (type.startsWith('text/html')) return body.includes(String(status)) ? undefined : 'a page without its status';
  if (type !== 'application/problem+json') return `a refusal as ${type}`;
  try {
    const problem = JSON.parse(body);
    const isWhole =
      problem.status === status &&
      [problem.type, problem.title, problem.detail, problem.code].every((text) => typeof text === 'string');
    return isWhole ? undefined : 'half a problem';
  } catch {
    return 'a problem that is no JSON';
  }
}

const CONVERSATIONS = 100_000;

export const rawRequests: Attack = {
  name: 'raw requests',
  what: `${CONVERSATIONS.toLocaleString('en')} conversations of bytes that are HTTP, nearly HTTP or not HTTP`,
  isShort: false,
  environment: { HUBLEDGER_LOG_LEVEL: 'error' },
  log: 'kept',
  async run(victim, { random }) {
    const { answers, faults } = await talkRaw(victim.port, CONVERSATIONS, random);
    const [fault = victim.linesWith('"level":50')[0] ?? ''] = faults;
    const lost = `${faults.length} faults in ${answers} answers ${fault.slice(0, 200)}`;
    return { lost, holds: fault === '' && answers > CONVERSATIONS / 2 };
  },
};
