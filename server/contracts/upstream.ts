/**
 * One REST endpoint of a node, with connection pool, health check and circuit breaker. The REST gateway of the Cosmos
 * SDK reports errors as {code, message} with gRPC codes.
 */
import { errors, Pool } from 'undici';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';
import { faultKind, interpretReply } from './interpret-reply.js';
import { type FaultKind, type NodeQuery, type Refusal, UpstreamFault } from './node-query.js';

const { max: RESPONSE_BYTES_MAX } = LIMITS.nodes.answer;
/** Responses up to this size are read even if all responses together exceed the memory limit. */
const SMALL_BYTES = 256 * 1024;
/** Estimated memory of a received chunk in addition to its bytes. A chunk may contain a single byte. */
const CHUNK_OVERHEAD_BYTES = 256;
const RETRY_AFTER_SECONDS = 5;
const { max: CONNECTIONS_MAX } = LIMITS.nodes.connections;
const CONNECT_MS = 2000;
const HEALTH_CHECK_EVERY_MS = 1000;
const HEALTH_CHECK_TIMEOUT_MS = 2000;
const SMOOTHING = 0.3;

const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';
/** Statuses of gateways that do not serve this path. The node itself may be healthy. */
const NOT_SERVED = new Set([404, 501]);

export interface NodeReply {
  readonly body: Buffer | undefined;
  readonly refusal: Refusal | undefined;
  readonly height: number | undefined;
}

export const NOT_NEEDED = new Error('another node has answered');

export const slowNode = () => new UpstreamFault('timeout', 'the node is slow');

/** Reads the responses of all nodes within a common memory limit. */
export class ReplyReader {
  private underWay = 0;

  async read(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
    const read: Buffer[] = [];
    let bytesOfResponse = 0;
    try {
      for await (const chunk of chunks) {
        const bytes = chunk.length + CHUNK_OVERHEAD_BYTES;
        bytesOfResponse += bytes;
        this.underWay += bytes;
        if (bytesOfResponse > 2 * RESPONSE_BYTES_MAX) throw tooLarge();
        if (bytesOfResponse > SMALL_BYTES && this.underWay > LIMITS.nodes.underWay.max) throw tooManyBytes();
        read.push(chunk);
      }
      return Buffer.concat(read);
    } finally {
      this.underWay -= bytesOfResponse;
    }
  }
}

const tooLarge = () =>
  new UpstreamFault('invalid_response', `the node's answer is larger than ${RESPONSE_BYTES_MAX} bytes`);

const tooManyBytes = () =>
  new Problem('unavailable', 'too many large answers of nodes are in progress: retry later, or request less', {
    retryAfter: RETRY_AFTER_SECONDS,
  });

export interface LatestBlock {
  readonly height: number;
  /** Time of the block header in Unix milliseconds; 0 if unknown. */
  readonly time: number;
  readonly reportedAt: number;
}

export class Upstream {
  readonly circuit = new Circuit();
  chainId: string | undefined;
  latest: LatestBlock = { height: 0, time: 0, reportedAt: 0 };
  latency = 0;
  private checking: Promise<void> | undefined;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private readonly pool: Pool;
  private readonly prefix: string;

  constructor(
    url: string,
    private readonly reader: ReplyReader,
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

  async ask(query: NodeQuery, signal: AbortSignal): Promise<NodeReply> {
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
        this.latest = { ...this.latest, height: answered, reportedAt: Date.now() };
      }
      this.circuit.succeed(false);
      return { body: undefined, refusal: undefined, ...reply, height: answered ?? height };
    } catch (error) {
      throw this.blame(error, false);
    }
  }

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
      throw new UpstreamFault('invalid_response', 'the latest block is not JSON');
    }
    const height = Number(header?.height);
    if (typeof header?.chain_id !== 'string' || !Number.isSafeInteger(height)) {
      throw new UpstreamFault('invalid_response', 'the latest block has no header');
    }
    this.chainId = header.chain_id;
    // A missing block time is replaced by a number that grows with the height, so that nodes can still be compared.
    const time = Date.parse(String(header.time)) || height * 1000;
    this.latest = { height, time, reportedAt: Date.now() };
  }

  /** Records a failure of the node, unless this server aborted the request. */
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
  return name === 'TimeoutError' ? slowNode() : new UpstreamFault('down', message);
}

function heightIn(headers: Record<string, string | string[] | undefined>): number | undefined {
  const given = headers['x-cosmos-block-height'] ?? headers['grpc-metadata-x-cosmos-block-height'];
  return /^[1-9]\d{0,15}$/.test(String(given)) ? Number(given) : undefined;
}

/** Faults that a query cannot cause: a lost connection, a gateway without a node, or a rate limit. */
const CAUSED_BY_NODE: ReadonlySet<FaultKind> = new Set(['down', 'busy']);

/** This many consecutive faults open the circuit breaker. One failed health check or one status 429 also opens it. */
const FAULTS_MAX = 3;
const WAIT_MS_MIN = 1000;
const WAIT_MS_MAX = 30_000;

class Circuit {
  isOpen = false;
  /** Earliest time of the next health check, on the clock of performance.now(). */
  until = 0;
  lastFault: UpstreamFault | undefined;
  private faults = 0;
  private failedQueries = 0;
  private wait = WAIT_MS_MIN;

  /** If true, queries are sent to other nodes first. */
  get isDoubtful(): boolean {
    return this.failedQueries >= FAULTS_MAX;
  }

  fail(fault: UpstreamFault, isHealthCheck: boolean): void {
    this.failedQueries++;
    if (!isHealthCheck && !CAUSED_BY_NODE.has(fault.kind)) return;
    this.lastFault = fault;
    this.faults++;
    if (!isHealthCheck && fault.kind !== 'busy' && this.faults < FAULTS_MAX) return;
    this.until = performance.now() + Math.min(WAIT_MS_MAX, Math.max(this.wait, fault.retryAfter * 1000));
    this.wait = Math.min(WAIT_MS_MAX, this.wait * 2);
    this.isOpen = true;
  }

  succeed(isHealthCheck: boolean): void {
    this.faults = 0;
    if (!isHealthCheck) {
      this.failedQueries = 0;
      return;
    }
    this.isOpen = false;
    this.wait = WAIT_MS_MIN;
  }
}
