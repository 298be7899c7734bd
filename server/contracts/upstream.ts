/** One REST endpoint of a network: connections, health, circuit. Nothing but the configured URL is ever connected to. */
import { errors, Pool } from 'undici';
import { Circuit } from './circuit-breaker.js';
import type { LatestBlock } from './in-sync.js';
import { faultKind, judge } from './interpret-reply.js';
import { type Question, type Refusal, UpstreamFault } from './node-query.js';

const MOST_BYTES = 8 * 1024 * 1024;
const CONNECTIONS = 32;
const CONNECT_MS = 2000;
/** Between two looks at a node's health, and how long one may take. */
const LOOK_EVERY_MS = 1000;
const LOOK_MS = 2000;
/** Weight of the latest latency in the mean. */
const SMOOTHING = 0.3;

const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';
/** Statuses of gateways that do not serve it: the node may be well all the same. */
const NOT_SERVED = new Set([404, 501]);

export interface Answered {
  readonly body: Buffer | undefined;
  readonly refusal: Refusal | undefined;
  /** Of the block whose state answered; undefined when the node does not say. */
  readonly height: number | undefined;
}

/** Why a request is given up whose answer nobody needs any more. */
export const NOT_NEEDED = new Error('another node has answered');

/** Why a request is given up that takes too long. */
export const tooLate = () => new UpstreamFault('timeout', 'the node is slow');

export class Upstream {
  readonly circuit = new Circuit();
  chainId: string | undefined;
  latest: LatestBlock = { height: 0, time: 0, saidAt: 0 };
  /** Mean milliseconds of an answer, the latest ones counting most. */
  latency = 0;
  private looking: Promise<void> | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private readonly pool: Pool;
  private readonly prefix: string;

  constructor(url: string) {
    const { origin, pathname } = new URL(url);
    this.prefix = pathname.replace(/\/+$/, '');
    this.pool = new Pool(origin, {
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_MS },
      maxResponseSize: MOST_BYTES,
    });
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }

  /** @throws UpstreamFault; NOT_NEEDED when the signal says so */
  async ask(question: Question, signal: AbortSignal): Promise<Answered> {
    const { path, height } = question;
    try {
      const { status, headers, body } = await this.get(path, height, signal);
      const reply = judge(question, status, Number(headers['retry-after']) || 0, body);
      const answered = heightIn(headers);
      if (height !== undefined && answered !== undefined && answered !== height) {
        throw new UpstreamFault('nonsense', `the node answered for height ${answered} when asked for ${height}`);
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

  /** Looks at the node's health when it is time to; one look at a time, resolved in any case. */
  look(): Promise<void> {
    const now = performance.now();
    if (this.looking) return this.looking;
    if (now < this.circuit.until || now - this.lookedAt < LOOK_EVERY_MS) return Promise.resolve();
    this.lookedAt = now;
    this.looking = this.lookNow().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async lookNow(): Promise<void> {
    const patience = new AbortController();
    const deadline = setTimeout(() => patience.abort(tooLate()), LOOK_MS);
    deadline.unref();
    try {
      const { status, headers, body } = await this.get(LATEST_BLOCK, undefined, patience.signal);
      if (status === 429) throw new UpstreamFault('busy', 'limits requests', Number(headers['retry-after']) || 0);
      if (status === 200) this.learn(body.toString());
      else if (!NOT_SERVED.has(status))
        throw new UpstreamFault(faultKind(status), `health is answered with status ${status}`);
      this.circuit.succeed(true);
    } catch (error) {
      this.blame(error, true);
    } finally {
      clearTimeout(deadline);
    }
  }

  private learn(text: string): void {
    let header: { chain_id?: unknown; height?: unknown; time?: unknown } | undefined;
    try {
      header = JSON.parse(text)?.block?.header;
    } catch {
      throw new UpstreamFault('nonsense', 'the latest block is no JSON');
    }
    const height = Number(header?.height);
    if (typeof header?.chain_id !== 'string' || !Number.isSafeInteger(height)) {
      throw new UpstreamFault('nonsense', 'the latest block has no header');
    }
    this.chainId = header.chain_id;
    // Where a gateway leaves the time out, the highest node is the one that is not late.
    const time = Date.parse(String(header.time)) || height * 1000;
    this.latest = { height, time, saidAt: Date.now() };
  }

  /** What an error says of the node, as its circuit takes it. */
  private blame(error: unknown, looked: boolean): unknown {
    if (error === NOT_NEEDED) return error;
    const fault = error instanceof UpstreamFault ? error : faultOf(error);
    this.circuit.fail(fault, looked);
    return fault;
  }

  private async get(path: string, height: number | undefined, signal: AbortSignal) {
    const began = performance.now();
    const headers = { accept: 'application/json', ...(height && { 'x-cosmos-block-height': String(height) }) };
    try {
      const response = await this.pool.request({ path: this.prefix + path, method: 'GET', headers, signal });
      const body = Buffer.from(await response.body.arrayBuffer());
      return { status: response.statusCode, headers: response.headers, body };
    } finally {
      this.latency += SMOOTHING * (performance.now() - began - this.latency);
    }
  }
}

function faultOf(error: unknown): UpstreamFault {
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new UpstreamFault('nonsense', `the node's answer is larger than ${MOST_BYTES} bytes`);
  }
  return new UpstreamFault('down', (error as Error).message);
}

function heightIn(headers: Record<string, string | string[] | undefined>): number | undefined {
  const given = headers['x-cosmos-block-height'] ?? headers['grpc-metadata-x-cosmos-block-height'];
  return /^[1-9]\d{0,15}$/.test(String(given)) ? Number(given) : undefined;
}
