/** A chain source of checked blocks. If an answer fails the check, the other endpoints are asked, then the same one again. */
import type { RawBlock } from '../../schemas/types.generated.js';
import { BlockError } from './block-error.js';
import { type CheckedBlock, checkBlock, type Link, linkFault } from './check-block.js';
import { type CrossCheck, difference, isSampled } from './cross-check.js';
import type { ChainEndpoint, ChainRecord, ChainSource, ChainStatus } from './nodes/chain-source.js';

/** A checked block, and where it came from. */
export interface SourcedBlock extends CheckedBlock {
  readonly endpoint?: ChainEndpoint | undefined;
  /** Another endpoint's answer, which was asked for along with the block. */
  readonly second?: ChainRecord | undefined;
  /** True for a block on disk: nobody is asked for it again. */
  readonly isStored?: boolean;
}

export interface CheckOptions {
  readonly chainId: string;
  /** Returns now in milliseconds since the epoch. */
  readonly now: () => number;
  readonly crossCheck?: CrossCheck | undefined;
  /** Called for each height of the sample about which no second endpoint answers. */
  readonly onUncompared?: ((height: number) => void) | undefined;
}

export class CheckedSource {
  constructor(
    private readonly source: ChainSource,
    private readonly options: CheckOptions,
  ) {}

  status(asks?: number): Promise<ChainStatus> {
    return this.source.status(asks);
  }

  /**
   * Yields the blocks from..to in ascending order.
   * @throws BlockError naming the first height that no endpoint has, or of which no answer passes the check
   */
  async *blocks(from: number, to: number): AsyncGenerator<SourcedBlock> {
    for await (const record of this.source.records(from, to)) {
      const first = this.check(record);
      yield 'fault' in first ? await this.another(record, first) : first;
    }
  }

  /**
   * Makes sure that two blocks follow each other. Where they do not, either may be the wrong one: other answers about both are tried.
   * @param before the block before `last`, if it is known
   * @throws BlockError naming what differs
   */
  async agree(before: Link | undefined, last: SourcedBlock, next: SourcedBlock): Promise<[SourcedBlock, SourcedBlock]> {
    const fault = linkFault(last.link, next);
    if (!fault) return [last, next];
    const asked = [last.endpoint, next.endpoint];
    const nexts = [next];
    for await (const other of this.again(next)) {
      if (!linkFault(last.link, other)) return [last, other];
      asked.push(other.endpoint);
      nexts.push(other);
    }
    for await (const other of this.again(last)) {
      if (before && linkFault(before, other)) continue;
      const follower = nexts.find((one) => !linkFault(other.link, one));
      if (follower) return [other, follower];
    }
    const { height, hash, reason } = allOf([{ fault, endpoints: asked }]);
    const stored = [last, next].filter(({ isStored }) => isStored).map(({ row }) => storedHint(row.height));
    throw new BlockError(height, hash, reason + stored.join(''));
  }

  /**
   * Compares a block of the sample, which the next header has proved if there is one, with another endpoint's answer. An answer that this
   * header refutes counts as none.
   * @throws BlockError naming both endpoints and what differs, or where every height needs a second answer and has none
   */
  async crossCheck({ row: { height, hash }, record, link, endpoint, second: given }: SourcedBlock): Promise<void> {
    const { crossCheck, onUncompared } = this.options;
    if (!crossCheck || !this.source.second || !isSampled(crossCheck, height)) return;
    const second = given ?? (await this.source.second(height, endpoint));
    const fault = (reason: string) => new BlockError(height, hash, `${reason} (HUBLEDGER_CROSS_CHECK)`);
    if (second) {
      const other = this.check(second);
      const isRefuted = 'fault' in other || !haveSameProof(link, other.link);
      const differs = 'fault' in other ? other.fault.reason : difference(record, other.record);
      if (differs === undefined && !isRefuted) return;
      if (!isRefuted || crossCheck.share === 1) {
        throw fault(
          `${endpoint?.name} and ${second.endpoint?.name} answer differently: ${differs ?? 'code, data or gas of txs_results'}`,
        );
      }
    } else if (crossCheck.share === 1) throw fault(`${endpoint?.name} has it, but no second endpoint does`);
    onUncompared?.(height);
  }

  /** Yields other answers about a block, the same endpoint's last; those that fail the check are left out. */
  private async *again({ row: { height }, endpoint, isStored }: SourcedBlock): AsyncGenerator<SourcedBlock> {
    if (isStored) return;
    for await (const record of this.source.again?.(height, endpoint) ?? []) {
      const checked = this.check(record);
      if (!('fault' in checked)) yield checked;
    }
  }

  private async another({ height, endpoint }: ChainRecord, first: Refusal): Promise<SourcedBlock> {
    const refusals = [first];
    for await (const record of this.source.again?.(height, endpoint) ?? []) {
      const checked = this.check(record);
      if (!('fault' in checked)) return checked;
      refusals.push(checked);
    }
    throw allOf(refusals);
  }

  /**
   * Checks a block on disk.
   * @throws BlockError when it fails
   */
  stored({ height, record }: RawBlock): SourcedBlock {
    const checked = this.check({ height, record });
    if (!('fault' in checked)) return { ...checked, isStored: true };
    const { hash, reason } = checked.fault;
    throw new BlockError(height, hash, `${reason}${storedHint(height)}`);
  }

  private check({ height, record, endpoint, second }: ChainRecord): SourcedBlock | Refusal {
    const { chainId, now } = this.options;
    try {
      return { ...checkBlock(record, { height, chainId, now: now() }), endpoint, second };
    } catch (error) {
      if (error instanceof BlockError) return { fault: error, endpoints: [endpoint] };
      throw error;
    }
  }
}

/** Returns whether the next header confirms two answers about a height alike. */
const haveSameProof = (one: Link, other: Link): boolean =>
  one.hash === other.hash && one.resultsHash === other.resultsHash && one.updatesValidators === other.updatesValidators;

/** A fault, and the endpoints that gave what has it. */
interface Refusal {
  readonly fault: BlockError;
  readonly endpoints: readonly (ChainEndpoint | undefined)[];
}

/** Joins refusals of one height: each distinct reason with its endpoints. */
function allOf(refusals: readonly Refusal[]): BlockError {
  const byReason = new Map<string, Set<string>>();
  for (const { fault, endpoints } of refusals) {
    const names = byReason.get(fault.reason) ?? new Set();
    for (const endpoint of endpoints) if (endpoint) names.add(endpoint.name);
    byReason.set(fault.reason, names);
  }
  const texts = [...byReason].map(([reason, names]) =>
    names.size > 0 ? `${reason} (${[...names].join(', ')})` : reason,
  );
  const { height, hash } = refusals[0]!.fault;
  return new BlockError(height, hash, texts.join('; '));
}

/** The advice for a block on disk that other blocks contradict. */
const storedHint = (height: number) =>
  `; block ${height} is on disk: if it is the wrong one, \`hubledger refetch ${height} ${height}\` replaces it`;
