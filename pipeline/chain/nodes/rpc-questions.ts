/** Sends JSON-RPC calls to one node with retries: waits as long as a rate limit demands, and sends single calls if needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ByteAllowance, NodeFailure } from './ask-node.js';
import type { Call, Endpoint, RpcReply } from './endpoint.js';

const TIMEOUT_MS = 15_000;
const REPLY_MIB = 32;
/** By default, a node accepts this many calls in a batch (max_request_batch_size). */
const CALLS_PER_BATCH = 10;
const ROUNDS = 3;
const PAUSE_MS = 250;
const RATE_LIMIT_MAX_MS = 120_000;

export class RpcQuestions {
  private usesBatches = true;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly signal: AbortSignal,
  ) {}

  get name(): string {
    return this.endpoint.name;
  }

  /**
   * Returns the replies in the order of the calls.
   * @throws NodeFailure if the node fails in each round
   */
  async ask(calls: readonly Call[]): Promise<RpcReply[]> {
    const replies: RpcReply[] = [];
    for (let i = 0; i < calls.length; i += CALLS_PER_BATCH) {
      replies.push(...(await this.askSome(calls.slice(i, i + CALLS_PER_BATCH))));
    }
    return replies;
  }

  private async askSome(calls: readonly Call[]): Promise<RpcReply[]> {
    if (this.usesBatches && calls.length > 1) {
      const replies = await this.retry((asking) => this.endpoint.batch(calls, asking));
      if (replies) {
        return calls.map(({ method }, i) => replies.get(i) ?? lacking(method));
      }
      this.usesBatches = false;
    }
    const replies: RpcReply[] = [];
    for (const { method, params } of calls) {
      replies.push(await this.retry((asking) => this.endpoint.call(method, params, asking)));
    }
    return replies;
  }

  private async retry<Reply>(question: (asking: RoundOptions) => Promise<Reply>): Promise<Reply> {
    let [failures, limited] = [0, 0];
    for (;;) {
      this.signal.throwIfAborted();
      if (this.endpoint.isSilent) throw new NodeFailure('it does not answer in time', 'slow');
      try {
        return await question({ timeoutMs: TIMEOUT_MS, allowance: new ByteAllowance(REPLY_MIB), signal: this.signal });
      } catch (error) {
        if (!(error instanceof NodeFailure) || error.kind === 'refused' || error.kind === 'slow') throw error;
        const isLimit = error.kind === 'limit';
        if (isLimit) limited += error.retryAfter + PAUSE_MS;
        else failures++;
        if (failures === ROUNDS || limited > RATE_LIMIT_MAX_MS) throw error;
        await sleep(isLimit ? error.retryAfter + PAUSE_MS : PAUSE_MS * 2 ** failures, undefined, {
          signal: this.signal,
        });
      }
    }
  }
}

interface RoundOptions {
  readonly timeoutMs: number;
  readonly allowance: ByteAllowance;
  readonly signal: AbortSignal;
}

function lacking(method: string): never {
  throw new NodeFailure(`its batch has no answer to ${method}`);
}
