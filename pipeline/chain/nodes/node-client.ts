/**
 * Reads status, blocks and results of one node. Several heights are requested as one JSON-RPC batch. If a node refuses
 * a batch, each height is requested alone, and smaller batches are tried later.
 */
import { memberSlices } from '../../base/json/exact-json.js';
import { ByteAllowance, NodeFailure } from './ask-node.js';
import { type Asking, type Endpoint, type RpcReply, slice } from './endpoint.js';

/**
 * Why a node has no record of a height. `beyond`: above its newest block. `far beyond`: more than NEAR_BLOCKS above it.
 * `pruned`: below its first block. `results`: it has the block but no results. `hole`: it lacks the block.
 */
export type Absence = 'beyond' | 'far beyond' | 'pruned' | 'results' | 'hole';

export type BlockReply = { readonly record: string } | { readonly missing: string; readonly absence: Absence };

export interface NodeStatus {
  readonly chainId: string;
  readonly earliest: number;
  readonly latest: number;
  readonly latestTime: number;
  readonly catchingUp: boolean;
}

export interface RoundOf {
  readonly round: number;
  readonly signal?: AbortSignal | undefined;
  readonly allowance?: ByteAllowance;
}

/** Error texts for missing heights (CometBFT rpc/core: blocks.go, env.go; state/errors.go). */
const ABSENCES: readonly [Absence, RegExp][] = [
  ['beyond', /must be less than or equal to/i],
  ['pruned', /is not available/i],
  ['results', /could not find (block|results)|not persisting/i],
];
const HEIGHT = /^\d{1,15}$/;
const CURRENT_HEIGHT = /current blockchain height (\d+)/i;
/**
 * A height at most this far above a node's newest block may soon be available, because nodes behind a load balancer
 * differ by a few blocks.
 */
const NEAR_BLOCKS = 10;
/**
 * Shortest plausible mean block time. A status may report up to EXTRA_BLOCKS more blocks than this allows, because a
 * recording may be short.
 */
const BLOCK_MS_MIN = 100;
const EXTRA_BLOCKS = 10_000;
const STATUS_MIB = 1;
const REPLY_MIB = 64;
/** Minimum timeout of the first request to a node, which decides whether the node is used. */
const MEETING_MS = 10_000;
/** Heights of the batches that are tried after a refusal. By default, a node accepts ten calls, two for each height. */
const SMALLER_BATCHES = [5, 1, 0] as const;
/** Number of groups of heights after which a larger batch is tried again. It doubles with each refusal. */
const GROUPS_UNTIL_RETRY = 20;

export class NodeClient {
  readonly name: string;
  private slowest = 0;
  private readonly batches = { level: 0, groups: 0, until: GROUPS_UNTIL_RETRY };

  /**
   * @param timeoutMs minimum and maximum timeout of a request. The timeout is five times the slowest response so far,
   * and doubles with each attempt.
   */
  constructor(
    readonly endpoint: Endpoint,
    private readonly timeoutMs: { readonly min: number; readonly max: number },
  ) {
    this.name = endpoint.name;
  }

  async status({ round, signal }: RoundOf): Promise<NodeStatus> {
    const asking = this.asking({ round, signal, allowance: new ByteAllowance(STATUS_MIB) });
    const timeoutMs = Math.min(Math.max(asking.timeoutMs, MEETING_MS), this.timeoutMs.max);
    try {
      return statusOf(await this.endpoint.call('status', {}, { ...asking, timeoutMs }));
    } catch (error) {
      if (!(error instanceof NodeFailure) || error.kind !== 'refused') throw error;
      const other = await this.endpoint.otherApi('rpc', { ...asking, timeoutMs });
      throw other === undefined ? error : new NodeFailure(other, 'refused');
    }
  }

  async block(height: number, round: RoundOf): Promise<RpcReply> {
    return this.measured(round, (asking) => this.endpoint.call('block', { height }, asking));
  }

  async read(heights: readonly number[], replies: Map<number, BlockReply>, round: RoundOf): Promise<void> {
    const { level } = this.batches;
    const perBatch = SMALLER_BATCHES[level]!;
    const isWhole = perBatch > 0 && (await this.readBatches(heights, perBatch, replies, round));
    if (!isWhole) await this.readSingly(heights, replies, round);
    this.noteBatches(level, isWhole);
  }

  /** Adjusts the size of batches. Called only after the node has answered. */
  private noteBatches(level: number, isWhole: boolean): void {
    const { batches } = this;
    if (level !== batches.level) return; // another group has already adjusted the size
    if (level === SMALLER_BATCHES.length - 1 || isWhole) {
      if (level === 0 || ++batches.groups < batches.until) return;
      Object.assign(batches, { level: 0, groups: 0, until: 2 * batches.until });
    } else batches.level++;
  }

  private async readSingly(heights: readonly number[], replies: Map<number, BlockReply>, round: RoundOf) {
    for (const height of heights) {
      const [block, results] = await Promise.all(
        ['block', 'block_results'].map((method) =>
          this.measured(round, (asking) => this.endpoint.call(method, { height }, asking)),
        ),
      );
      replies.set(height, join(height, block!, results!));
    }
  }

  private async readBatches(
    heights: readonly number[],
    perBatch: number,
    replies: Map<number, BlockReply>,
    round: RoundOf,
  ): Promise<boolean> {
    for (let start = 0; start < heights.length; start += perBatch) {
      const part = heights.slice(start, start + perBatch);
      const calls = part.flatMap((height) =>
        ['block', 'block_results'].map((method) => ({ method, params: { height } })),
      );
      const found = await this.measured(round, (asking) => this.endpoint.batch(calls, asking));
      if (!found) return false;
      for (const [i, height] of part.entries()) {
        const [block, results] = [found.get(2 * i), found.get(2 * i + 1)];
        if (!block || !results) throw new NodeFailure(`the batch has no answer for height ${height}`);
        replies.set(height, join(height, block, results));
      }
    }
    return true;
  }

  private async measured<Reply>(round: RoundOf, ask: (asking: Asking) => Promise<Reply>): Promise<Reply> {
    const sentAt = performance.now();
    const reply = await ask(this.asking(round));
    this.slowest = Math.max(this.slowest, Math.round(performance.now() - sentAt));
    return reply;
  }

  private asking({ round, signal, allowance = new ByteAllowance(REPLY_MIB) }: RoundOf): Asking {
    const { min, max } = this.timeoutMs;
    return { timeoutMs: Math.min(Math.max(min, 5 * this.slowest) * 2 ** (round - 1), max), signal, allowance };
  }
}

function statusOf({ result, error }: RpcReply): NodeStatus {
  if (!result) throw new NodeFailure(error?.text ?? 'no status');
  const { node_info, sync_info } = slice(result, JSON.parse) ?? {};
  const { earliest_block_height: earliest, latest_block_height: latest } = sync_info ?? {};
  if (typeof node_info?.network !== 'string' || !HEIGHT.test(earliest) || !HEIGHT.test(latest)) {
    throw new NodeFailure('its status has no network or no heights');
  }
  const status = {
    chainId: node_info.network,
    earliest: Number(earliest),
    latest: Number(latest),
    latestTime: Date.parse(sync_info.latest_block_time),
    catchingUp: sync_info.catching_up === true,
  };
  requireTimeFor(status, Date.parse(sync_info.earliest_block_time));
  return status;
}

/** Throws an error if a status reports too many blocks for the time between its first and its last block. */
function requireTimeFor({ earliest, latest, latestTime }: NodeStatus, earliestTime: number): void {
  const time = Math.min(latestTime, Date.now()) - earliestTime;
  if (!(time > 0) || latest - earliest <= time / BLOCK_MS_MIN + EXTRA_BLOCKS) return;
  throw new NodeFailure(`it reports height ${latest}, more blocks than fit between its first and its last block time`);
}

function join(height: number, block: RpcReply, results: RpcReply): BlockReply {
  const hasBlock = block.result !== undefined && slice(block.result, memberSlices).get('block') !== 'null';
  if (block.result !== undefined && !hasBlock) return { missing: '"block": null', absence: 'hole' };
  for (const { error, result } of [block, results]) {
    const [absence] = ABSENCES.find(([, pattern]) => error && pattern.test(error.text)) ?? [];
    // A node that has the block may return its results later, or may have pruned them. A node without the block lacks
    // the whole height.
    if (absence === 'results' && !hasBlock) return { missing: error!.text, absence: 'hole' };
    const isFar = absence === 'beyond' && Number(CURRENT_HEIGHT.exec(error!.text)?.[1]) < height - NEAR_BLOCKS;
    if (absence) return { missing: error!.text, absence: isFar ? 'far beyond' : absence };
    if (error) throw new NodeFailure(error.text);
    if (result === undefined) throw new NodeFailure('an answer without a result');
  }
  return { record: `{"height":${height},"block":${block.result},"block_results":${results.result}}` };
}
