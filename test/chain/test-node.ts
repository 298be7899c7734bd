/** A CometBFT node for tests: answers from the bundled recording over loopback HTTP, with faults on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { memberSlices } from '../../pipeline/base/json/exact-json.js';
import type { Lie } from './lies.js';
import { CHAIN_ID, sampleLines } from './sample.js';

/** Faults of a request, as the node makes them on purpose. */
export type Fault =
  | 503
  | 429
  | 500
  | 'wordless'
  | 'reset'
  | 'hang'
  | 'drip'
  | 'truncate'
  | 'page'
  | 'half'
  | 'endless'
  | 'bomb'
  | 'redirect';

/** A hundred MiB of blanks in a hundred kilobytes. */
const BOMB = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '), { level: 1 });

export interface NodeOptions {
  readonly chainId?: string;
  /** Its oldest and its newest height, which may grow. */
  readonly earliest?: number | (() => number);
  readonly latest?: number | (() => number);
  /** Time of its newest block; that of the recording's last one unless told otherwise. */
  readonly latestTime?: string;
  readonly earliestTime?: string;
  readonly catchingUp?: boolean;
  /** Its status, in place of a sound one. */
  readonly status?: string;
  /** Heights that the node does not have: `"block": null`. */
  readonly holes?: readonly number[];
  /** Heights whose results are not there for the first so many requests. */
  readonly lateResults?: Record<number, number>;
  /** Most calls that a batch may have; 0 = no batches. */
  readonly batchLimit?: number;
  readonly retryAfter?: string;
  /** Address that the fault 'redirect' leads to. */
  readonly redirectTo?: string;
  /** Changes answers about heights; see lies.ts. */
  readonly lie?: Lie;
  /** Blanks before each answer about a height. */
  readonly blanks?: number;
  /** Milliseconds before each answer. */
  readonly latency?: number;
  /** The fault of the n-th request (from 1), if any. */
  readonly fault?: (n: number) => Fault | undefined;
  /** Requests a second that are answered; the others get a 429. */
  readonly requestsPerSecond?: number;
}

export interface TestNode {
  readonly url: string;
  /** Requests so far, by kind. */
  readonly counts: Counts;
  close(): Promise<void>;
}

interface Counts {
  requests: number;
  batches: number;
  singles: number;
  limited: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const internal = (data: string) => ({ error: JSON.stringify({ code: -32603, message: 'Internal error', data }) });

export async function startNode(options: NodeOptions = {}): Promise<TestNode> {
  const counts: Counts = { requests: 0, batches: 0, singles: 0, limited: 0 };
  return { ...(await listen(nodeHandler(options, counts))), counts };
}

/** One address whose requests go to several nodes in turn. */
export async function startBalancer(...nodes: readonly NodeOptions[]): Promise<TestNode> {
  const counts: Counts = { requests: 0, batches: 0, singles: 0, limited: 0 };
  const handlers = nodes.map((options) => nodeHandler(options, counts));
  return { ...(await listen((...exchange) => handlers[counts.requests % handlers.length]!(...exchange))), counts };
}

/** A bucket of as many requests as are allowed in a second, which fills evenly. */
function limiter(perSecond: number): () => boolean {
  let [tokens, filled] = [perSecond, performance.now()];
  return () => {
    const now = performance.now();
    tokens = Math.min(perSecond, tokens + ((now - filled) / 1000) * perSecond);
    filled = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}

function nodeHandler(options: NodeOptions, counts: Counts): Handler {
  const { chainId = CHAIN_ID, earliest: oldest = 1, batchLimit = 10 } = options;
  const { latest: tip = sampleLines.length - 1, latestTime = '2026-04-15T12:00:00.123456789Z' } = options;
  const isAllowed = limiter(options.requestsPerSecond ?? Number.POSITIVE_INFINITY);
  const late = new Map(Object.entries(options.lateResults ?? {}).map(([height, times]) => [Number(height), times]));

  function call(method: string, height: number): { result: string } | { error: string } {
    const [earliest, latest] = [oldest, tip].map((height) => (typeof height === 'number' ? height : height())) as [
      number,
      number,
    ];
    if (method === 'status') {
      if (options.status !== undefined) return { result: options.status };
      const sync_info = {
        earliest_block_height: String(earliest),
        latest_block_height: String(latest),
        latest_block_time: latestTime,
        earliest_block_time: options.earliestTime,
        catching_up: options.catchingUp ?? false,
      };
      return { result: JSON.stringify({ node_info: { network: chainId }, sync_info }) };
    }
    if (height < earliest) return internal(`height ${height} is not available, lowest height is ${earliest}`);
    if (height > latest)
      return internal(`height ${height} must be less than or equal to the current blockchain height ${latest}`);
    if (options.holes?.includes(height)) {
      return method === 'block'
        ? { result: '{"block_id":{"hash":"","parts":{"total":0,"hash":""}},"block":null}' }
        : internal(`could not find results for height #${height}`);
    }
    const waiting = late.get(height) ?? 0;
    if (method === 'block_results' && waiting > 0) {
      late.set(height, waiting - 1);
      return internal(`could not find results for height #${height}`);
    }
    return { result: memberSlices(options.lie?.(height, sampleLines[height]!) ?? sampleLines[height]!).get(method)! };
  }

  function answer(id: number, method: string, height: number): string {
    const [[name, value]] = Object.entries(call(method, height)) as [[string, string]];
    const blanks = method === 'status' ? '' : ' '.repeat(options.blanks ?? 0);
    return `${blanks}{"jsonrpc":"2.0","id":${id},"${name}":${value}}`;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://node');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString('utf8');
    counts.requests++;
    const fault = isAllowed() ? options.fault?.(counts.requests) : 429;
    if (fault === 429) counts.limited++;
    if (options.latency) await sleep(options.latency);
    if (fault === 'reset') return void request.socket.destroy();
    if (fault === 'hang') return;
    if (fault === 'endless') return sendOn(response);
    if (fault === 'drip') return drip(response);
    if (fault === 'bomb') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB);
    if (fault === 'redirect') {
      return void response.writeHead(307, { location: `${options.redirectTo}${request.url}` }).end();
    }
    if (fault === 429) response.setHeader('retry-after', options.retryAfter ?? '0');
    if (fault === 503 || fault === 429) return void response.writeHead(fault).end('<html>busy</html>');
    if (fault === 500) {
      const { error } = internal('database is closed');
      return void response.writeHead(500).end(`{"jsonrpc":"2.0","id":-1,"error":${error}}`);
    }
    if (fault === 'wordless') return void response.writeHead(500).end('{"error":"x"}');
    if (fault === 'page') return void response.end('<html>welcome</html>');
    let text: string;
    if (request.method === 'POST') {
      counts.batches++;
      const calls: { id: number; method: string; params: { height: string } }[] = JSON.parse(body);
      if (calls.length > batchLimit) {
        const error = { code: -32600, message: 'Invalid Request', data: `batch of ${calls.length} calls` };
        return void response.writeHead(500).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      }
      // JSON-RPC does not promise the order of the answers.
      const answers = calls.map(({ id, method, params }) => answer(id, method, Number(params.height))).reverse();
      text = `[${answers.join(', ')}]`;
    } else {
      counts.singles++;
      text = `${answer(-1, url.pathname.slice(1), Number(url.searchParams.get('height')))}\n`;
    }
    if (fault === 'half') return void response.end(text.slice(0, text.length / 2));
    if (fault === 'truncate') {
      response.writeHead(200, { 'content-length': text.length });
      response.write(text.slice(0, text.length / 2));
      await sleep(5);
      return void request.socket.destroy();
    }
    response.writeHead(text.includes('"error":{') && request.method === 'GET' ? 500 : 200).end(text);
  }

  return handle;
}

/** Sends until the reader goes. */
function sendOn(response: ServerResponse): void {
  const blanks = Buffer.alloc(1024 * 1024, ' ');
  const send = () => {
    while (!response.destroyed && response.write(blanks));
  };
  response.on('drain', send);
  send();
}

/** Sends a byte now and then until the reader goes. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
}

async function listen(handle: Handler): Promise<Omit<TestNode, 'counts'>> {
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
