/** An upstream: one REST endpoint of a network, with its connections, health and circuit. It connects to its configured URL alone. */
import { errors, Pool } from 'undici';
import { LIMITS } from '../limits.js';
import { Problem } from '../problem.js';
import { Circuit } from './circuit-breaker.js';
import type { LatestBlock } from './in-sync.js';
import { faultKind, interpretReply } from './interpret-reply.js';
import { type NodeQuery, type Refusal, UpstreamFault } from './node-query.js';

const { max: RESPONSE_BYTES_MAX } = LIMITS.nodes.answer;
/** Bytes up to which an answer is read however many others are under way. */
const SMALL_BYTES = 256 * 1024;
/** Memory of a chunk beside its bytes: chunked encoding may bring single bytes. */
const CHUNK_OVERHEAD_BYTES = 256;
/** Seconds after which a caller may ask again for an answer that there was no memory for. */
const RETRY_AFTER_SECONDS = 5;
const { max: CONNECTIONS_MAX } = LIMITS.nodes.connections;
const CONNECT_MS = 2000;
/** Time between two health checks of a node. */
const HEALTH_CHECK_EVERY_MS = 1000;
/** Time that a health check may take. */
const HEALTH_CHECK_TIMEOUT_MS = 2000;
/** Weight of the latest latency in the mean. */
const SMOOTHING = 0.3;

const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';
/** Statuses of gateways that do not serve the latest block: the node may be well all the same. */
const NOT_SERVED = new Set([404, 501]);

export interface Answered {
  readonly body: Buffer | undefined;
  readonly refusal: Refusal | undefined;
  /** Height of the block whose state answered; undefined when the node does not say. */
  readonly height: number | undefined;
}

/** The reason to give up a request whose answer nobody needs any more. */
export const NOT_NEEDED = new Error('another node has answered');

/** The reason to give up a request that takes too long. */
export const tooLate = () => new UpstreamFault('timeout', 'the node is slow');

/** Reads answers of all nodes within a common bound. */
export class AnswerReader {
  private underWay = 0;

  /** Reads a body to its end. @throws UpstreamFault where it is too large; Problem where those under way are too large together */
  async read(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
    const read: Buffer[] = [];
    let own = 0;
    try {
      for await (const chunk of chunks) {
        const bytes = chunk.length + CHUNK_OVERHEAD_BYTES;
        own += bytes;
        this.underWay += bytes;
        if (own > 2 * RESPONSE_BYTES_MAX) throw tooLarge(); // of bytes alone the pool takes half as many
        if (own > SMALL_BYTES && this.underWay > LIMITS.nodes.underWay.max) throw tooManyBytes();
        read.push(chunk);
      }
      return Buffer.concat(read);
    } finally {
      this.underWay -= own;
    }
  }
}

const tooLarge = () =>
  new UpstreamFault('invalid_response', `the node's answer is larger than ${RESPONSE_BYTES_MAX} bytes`);

const tooManyBytes = () =>
  new Problem('unavailable', 'too many large answers of nodes are being read: ask again later, or for less', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

export class Upstream {
  readonly circuit = new Circuit();
  chainId: string | undefined;
  latest: LatestBlock = { height: 0, time: 0, saidAt: 0 };
  /** Mean milliseconds of an answer, the latest ones counting most. */
  latency = 0;
  private checking: Promise<void> | undefined;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private readonly pool: Pool;
  private readonly prefix: string;

  constructor(
    url: string,
    private readonly reader: AnswerReader,
  ) {
    const { origin, pathname } = new URL(url);
    this.prefix = pathname.replace(/\/+$/, '');
    this.pool = new Pool(origin, {
      connections: CONNECTIONS_MAX,
      connect: { timeout: CONNECT_MS },
      maxResponseSize: RESPONSE_BYTES_MAX,
    });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  /** Asks the node. @throws UpstreamFault; Problem when memory is short; NOT_NEEDED when the signal says so */
  async ask(query: NodeQuery, signal: AbortSignal): Promise<Answered> {
    const { path, height } = query;
    try {
      const { status, headers, body } = await this.get(path, height, signal);
      const reply = interpretReply(query, status, Number(headers['retry-after']) || 0, body);
      const answered = heightIn(headers);
      if (height !== undefined && answered !== undefined && answered !== height) {
        throw new UpstreamFault(
          'invalid_response',
          `the node answered for height ${answered} when asked for ${height}`,
        );
      }
      if (height === undefined && answered !== undefined && answered > this.latest.height) {
        this.latest = { ...this.latest, height: answered, saidAt: Date.now() };
      }
      this.circuit.succeed(false);
      return { body: undefined, refusal: undefined, ...reply, height: answered ?? height };
    } catch (error) {
      throw this.blame(error, false);
    }
  }

  /** Checks the node's health when it is time to. One check runs at a time, and the promise is never rejected. */
  checkHealth(): Promise<void> {
    const now = performance.now();
    if (this.checking) return this.checking;
    if (now < this.circuit.until || now - this.checkedAt < HEALTH_CHECK_EVERY_MS) return Promise.resolve();
    this.checkedAt = now;
    this.checking = this.askHealth().finally(() => {
      this.checking = undefined;
    });
    return this.checking;
  }

  private async askHealth(): Promise<void> {
    try {
      const timeout = AbortSignal.timeout(HEALTH_CHECK_TIMEOUT_MS);
      const { status, headers, body } = await this.get(LATEST_BLOCK, undefined, timeout);
      if (status === 429) throw new UpstreamFault('busy', 'limits requests', Number(headers['retry-after']) || 0);
      if (status === 200) this.learn(body.toString());
      else if (!NOT_SERVED.has(status))
        throw new UpstreamFault(faultKind(status), `health is answered with status ${status}`);
      this.circuit.succeed(true);
    } catch (error) {
      this.blame(error, true);
    }
  }

  private learn(text: string): void {
    let header: { chain_id?: unknown; height?: unknown; time?: unknown } | undefined;
    try {
      header = JSON.parse(text)?.block?.header;
    } catch {
      throw new UpstreamFault('invalid_response', 'the latest block is no JSON');
    }
    const height = Number(header?.height);
    if (typeof header?.chain_id !== 'string' || !Number.isSafeInteger(height)) {
      throw new UpstreamFault('invalid_response', 'the latest block has no header');
    }
    this.chainId = header.chain_id;
    // A gateway may leave the time out: the highest node is then the one that is not late.
    const time = Date.parse(String(header.time)) || height * 1000;
    this.latest = { height, time, saidAt: Date.now() };
  }

  /** Notes an error as a fault of the node, unless the server gave its answer up. @returns the error to throw */
  private blame(error: unknown, isHealthCheck: boolean): unknown {
    if (error === NOT_NEEDED || error instanceof Problem) return error;
    const fault = error instanceof UpstreamFault ? error : faultOf(error);
    this.circuit.fail(fault, isHealthCheck);
    return fault;
  }

  private async get(path: string, height: number | undefined, signal: AbortSignal) {
    const began = performance.now();
    const headers = { accept: 'application/json', ...(height && { 'x-cosmos-block-height': String(height) }) };
    try {
      const response = await this.pool.request({ path: this.prefix + path, method: 'GET', headers, signal });
      const body = await this.reader.read(response.body);
      return { status: response.statusCode, headers: response.headers, body };
    } finally {
      this.latency += SMOOTHING * (performance.now() - began - this.latency);
    }
  }
}

function faultOf(error: unknown): UpstreamFault {
  if (error instanceof errors.ResponseExceededMaxSizeError) return tooLarge();
  const { name, message } = error as Error;
  return name === 'TimeoutError' ? tooLate() : new UpstreamFault('down', message);
}

function heightIn(headers: Record<string, string | string[] | undefined>): number | undefined {
  const given = headers['x-cosmos-block-height'] ?? headers['grpc-metadata-x-cosmos-block-height'];
  return /^[1-9]\d{0,15}$/.test(String(given)) ? Number(given) : undefined;
}
