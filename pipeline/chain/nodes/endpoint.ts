/**
 * One URL of a node. Sends requests with the node's key, and calls its JSON-RPC methods in the form that the node
 * accepts. All clients of a run share an endpoint, so that they learn only once what it refuses and whether it answers.
 */
import { hash } from 'node:crypto';
import { elementSlices, memberSlices } from '../../base/json/exact-json.js';
import { retryAfter } from '../../base/retry-after.js';
import type { NodeHeaders } from '../../config.js';
import { askNode, type ByteAllowance, NodeFailure, type NodeReply } from './ask-node.js';
import type { ChainEndpoint } from './chain-source.js';

export interface Asking {
  readonly timeoutMs: number;
  readonly allowance: ByteAllowance;
  readonly signal?: AbortSignal | undefined;
}

/** Texts are written in double quotes in a URL, numbers as they are, bytes as hexadecimal. */
export type CallParameters = Readonly<Record<string, string | number | Uint8Array>>;

export interface Call {
  readonly method: string;
  readonly params: CallParameters;
}

/** `result` is the node's own JSON text. */
export interface RpcReply {
  readonly result?: string | undefined;
  readonly error?: { readonly code: number; readonly text: string } | undefined;
}

/** HTTP statuses with which servers and proxies refuse a method of HTTP, or a large body. */
const REFUSALS = [400, 403, 404, 405, 413, 415, 422, 501];
/** HTTP statuses of proxies that waited too long for the node. */
const TIMEOUTS = [408, 504, 524];
const LIMIT_CODE = -32005;
const LIMIT_TEXT = /rate.?limit|too many requests/i;
const LIMIT_MS = 1_000;
/** After a longer pause, a later run is the better choice. */
const LONG_PAUSE_S = 300;
const WORDS_MAX = 500;

export class Endpoint implements ChainEndpoint {
  /** Host and port for messages. Path and query are left out, because they may contain a key. */
  readonly name: string;
  /** URL for messages. A path or query, which may contain a key, is `…`. */
  readonly shownUrl: string;
  /** Hash of the URL, to recognize the endpoint in a later run. */
  readonly id: string;
  /** True if the endpoint has not answered in time although another one has. It then gets no more requests in this run. */
  isSilent = false;
  private readonly url: URL;
  private readonly headers: Readonly<Record<string, string>>;
  private hasReplied = false;
  private usesPost = false;

  constructor(url: string, headers: NodeHeaders = {}) {
    this.url = new URL(url);
    const { host, hostname, username, password } = this.url;
    this.name = host;
    const hasMore = this.url.pathname !== '/' || this.url.search !== '' || username !== '';
    this.shownUrl = `${this.url.protocol}//${host}${hasMore ? '/…' : ''}`;
    this.id = hash('sha256', url).slice(0, 16);
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    this.headers = {
      ...(username && { authorization: `Basic ${credentials.toString('base64')}` }),
      ...headers['*'],
      ...headers[hostname],
      ...headers[host],
    };
  }

  /**
   * Sends GET to a path below the URL. With a body, sends POST.
   * @returns the reply, whose status may be 4xx or 500
   * @throws NodeFailure if the reply is not one of a node
   */
  async send(
    path: string,
    asking: Asking,
    { body, headers = {} }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<NodeReply> {
    const reply = await askNode(this.urlOf(path), { ...asking, body, headers: { ...this.headers, ...headers } });
    const { status, headers: replyHeaders, text } = reply;
    if (status >= 300 && status < 400) throw this.redirect(status, replyHeaders.get('location'));
    if (status === 401 || status === 407) {
      const why = Object.keys(this.headers).length > 0 || this.url.search !== '' ? 'refuses the key' : 'asks for a key';
      throw new NodeFailure(`HTTP ${status}: it ${why} (HUBLEDGER_NODE_HEADERS)`, 'refused');
    }
    if (status === 429) throw limitOf('HTTP 429', retryAfter(replyHeaders.get('retry-after')));
    if (status === 403 && this.hasReplied) throw limitOf('HTTP 403', retryAfter(replyHeaders.get('retry-after')));
    if (TIMEOUTS.includes(status)) throw new NodeFailure(`HTTP ${status}`, 'slow');
    if (status > 501) throw new NodeFailure(`HTTP ${status}`);
    if (status < 300 && /^\s*</.test(text)) throw new NodeFailure('it answers with a web page, not as a node');
    if (status < 300 || status === 500) this.hasReplied = true;
    return reply;
  }

  /** Calls a method of JSON-RPC. Sends GET, or POST if the node refuses GET. */
  async call(method: string, params: CallParameters, asking: Asking): Promise<RpcReply> {
    let refusal: number | undefined;
    if (!this.usesPost) {
      const { status, text } = await this.send(`/${method}${queryOf(params)}`, asking);
      if (!REFUSALS.includes(status)) return readReply(text);
      refusal = status;
    }
    const { status, text } = await this.send('', asking, { body: JSON.stringify(bodyOf({ method, params }, 0)) });
    if (REFUSALS.includes(status)) throw new NodeFailure(`HTTP ${refusal ?? status}`, 'refused');
    const reply = readReply(text);
    this.usesPost = true;
    return reply;
  }

  /**
   * Calls several methods of JSON-RPC in one request.
   * @returns the replies by the index of their call; undefined if the node refuses the batch
   */
  async batch(calls: readonly Call[], asking: Asking): Promise<Map<number, RpcReply> | undefined> {
    const { status, text } = await this.send('', asking, { body: JSON.stringify(calls.map(bodyOf)) });
    if (REFUSALS.includes(status)) return undefined;
    if (text.trimStart().startsWith('{')) {
      const { error } = readReply(text);
      if (error && error.code !== INTERNAL_ERROR) return undefined;
      throw new NodeFailure(error?.text ?? 'it answers a batch with a single result');
    }
    return new Map(slice(text, elementSlices).map((reply) => [idOf(reply), readReply(reply)]));
  }

  /** Returns a sentence if the URL serves the other API of a node. */
  async otherApi(expected: 'rpc' | 'rest', asking: Asking): Promise<string | undefined> {
    const path = expected === 'rpc' ? '/cosmos/base/tendermint/v1beta1/node_info' : '/status';
    try {
      const { status, text } = await this.send(path, asking);
      const reply = status === 200 ? slice(text, JSON.parse) : {};
      if (expected === 'rpc' && reply?.default_node_info) return 'it is a REST endpoint: move it to HUBLEDGER_LCD_URLS';
      if (expected === 'rest' && reply?.result?.node_info)
        return 'it is an RPC endpoint: move it to HUBLEDGER_RPC_URLS';
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
    }
    return undefined;
  }

  private urlOf(path: string): string {
    const { origin, pathname, search } = this.url;
    const key = search === '' ? '' : `${path.includes('?') ? '&' : '?'}${search.slice(1)}`;
    return `${origin}${pathname.replace(/\/+$/, '')}${path}${key}`;
  }

  /** The target is shown in full only if the URL cannot contain a key. */
  private redirect(status: number, location: string | null): NodeFailure {
    const { origin, pathname, search } = this.url;
    const target = location !== null && URL.canParse(location, origin) ? new URL(location, origin) : undefined;
    const isPublic = pathname === '/' && search === '' && Object.keys(this.headers).length === 0;
    const shown = target && (isPublic ? `${target.origin}${target.pathname}` : target.host);
    const text = `HTTP ${status}: redirects are not followed`;
    return new NodeFailure(shown ? `${text}; it leads to ${shown}` : text, 'refused');
  }
}

/** A URL, or an endpoint that other clients use, too. */
export type NodeAddress = string | Endpoint;

export const endpointsOf = (addresses: readonly NodeAddress[], headers?: NodeHeaders): Endpoint[] =>
  addresses.map((address) => (typeof address === 'string' ? new Endpoint(address, headers) : address));

/** Code of JSON-RPC for an internal error. With other codes, a node refuses a batch. */
const INTERNAL_ERROR = -32603;

function limitOf(text: string, pauseMs: number): NodeFailure {
  const seconds = pauseMs / 1000;
  const advice = seconds > LONG_PAUSE_S ? ': run again then, or name a second node' : '';
  return new NodeFailure(`${text}, retry after ${seconds} s${advice}`, 'limit', pauseMs);
}

export function slice<Slices>(text: string, cut: (text: string) => Slices): Slices {
  try {
    return cut(text);
  } catch (error) {
    throw new NodeFailure((error as Error).message);
  }
}

function readReply(reply: string): RpcReply {
  const members = slice(reply, memberSlices);
  const error = members.get('error');
  if (error === undefined || error === 'null') return { result: members.get('result') };
  const { code, message, data } = slice(error, JSON.parse);
  const text = [message, data].filter(Boolean).join(': ') || `an error without a message: ${error.slice(0, 100)}`;
  if (code === LIMIT_CODE || LIMIT_TEXT.test(text)) throw limitOf(text.slice(0, WORDS_MAX), LIMIT_MS);
  return { error: { code, text: text.slice(0, WORDS_MAX) } };
}

/** Some nodes return ids as texts. */
const idOf = (reply: string) => Number((slice(reply, memberSlices).get('id') ?? '').replaceAll('"', ''));

const hexadecimal = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();

function queryOf(params: CallParameters): string {
  const texts = Object.entries(params).map(([name, value]) => {
    const text =
      typeof value === 'string' ? `"${value}"` : value instanceof Uint8Array ? `0x${hexadecimal(value)}` : value;
    return `${name}=${encodeURIComponent(text)}`;
  });
  return texts.length > 0 ? `?${texts.join('&')}` : '';
}

/** In JSON, CometBFT reads the bytes of abci_query as hexadecimal, and the bytes of other methods as Base64. */
function bodyOf({ method, params }: Call, id: number): object {
  const texts = Object.entries(params).map(([name, value]): [string, string] => {
    if (!(value instanceof Uint8Array)) return [name, String(value)];
    return [name, method === 'abci_query' ? hexadecimal(value) : Buffer.from(value).toString('base64')];
  });
  return { jsonrpc: '2.0', id, method, params: Object.fromEntries(texts) };
}
