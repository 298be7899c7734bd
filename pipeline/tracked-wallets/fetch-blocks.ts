/**
 * Fetches the blocks of single wallets, and compares each with the reply of a second node. If two nodes differ only in
 * what signatures cover, the light client later shows which one is right (sign-blocks.ts).
 */
import { ConfigError } from '../base/config-error.js';
import { BlockError } from '../chain/block-error.js';
import { type CheckedSource, contentHash, differenceText, type SourcedBlock } from '../chain/cross-check.js';
import type { ChainStatus } from '../chain/nodes/chain-source.js';
import type { StepContext } from '../night/night.js';
import { ADD_ARCHIVE, ADD_NODE } from './advice.js';
import type { BlockProofs } from './block-proofs.js';
import type { BlockStore } from './block-store.js';
import { type Finding, HEIGHTS_MAX } from './find-heights.js';

/** After this many unanswered requests in a row, the nodes count as away. */
const UNANSWERED_MAX = 3;
const PROGRESS_BLOCKS = 50;

export interface FetchEnds {
  readonly first: number;
  readonly last: number;
}

export interface BlockFetcherParts {
  readonly source: CheckedSource;
  readonly store: BlockStore;
  readonly proofs: BlockProofs;
  readonly status: ChainStatus;
  readonly ends: FetchEnds;
  /** True if a second node can confirm a block. */
  readonly hasSecond: boolean;
}

export class BlockFetcher {
  private readonly lost = new Map<number, string>();
  private readonly requested = new Set<number>();

  constructor(
    private readonly parts: BlockFetcherParts,
    private readonly context: Pick<StepContext, 'progress' | 'signal'>,
  ) {}

  /**
   * Fetches the blocks that are not stored yet, or that no second node has confirmed. Records the heights that no node
   * has.
   */
  async fetch(heights: Iterable<number>): Promise<void> {
    const { source, store, proofs, status } = this.parts;
    let open = [...new Set(heights)].filter((height) => this.isOpen(height)).sort((a, b) => a - b);
    for (const height of open) {
      this.requested.add(height);
      if (height < status.earliest) this.lose(height, 'all nodes have pruned it');
    }
    open = open.filter((height) => height >= status.earliest);
    const onBlock = this.reporter(open.length);
    let failedRounds = 0;
    try {
      while (open.length > 0) {
        try {
          for await (const block of source.blocksAt(open)) {
            this.context.signal.throwIfAborted();
            await this.take(block);
            failedRounds = 0;
            onBlock();
          }
          break;
        } catch (error) {
          if (!(error instanceof BlockError && error.isNowhere)) throw error;
          await source.status(); // throws if no node answers; the next run then fetches the rest
          failedRounds = error.isAbsent ? 0 : failedRounds + 1;
          if (failedRounds === UNANSWERED_MAX) {
            throw new ConfigError(`${error.message}: the next nightly run continues from here`);
          }
          this.lose(error.height, error.reason);
          open = open.filter((height) => height > error.height);
          onBlock();
        }
      }
    } finally {
      await store.flush();
      proofs.save();
    }
  }

  private isOpen(height: number): boolean {
    const { store, proofs, ends, hasSecond } = this.parts;
    if (height < ends.first || height > ends.last || this.requested.has(height)) return false;
    const isDisputed = proofs.at(height)?.isDisputed === true;
    return !store.has(height) || isDisputed || (hasSecond && !proofs.isConfirmed(height));
  }

  private lose(height: number, reason: string): void {
    if (!this.parts.store.has(height)) this.lost.set(height, reason);
  }

  /**
   * Stores a block, unless it is stored. Another version of a stored block replaces it if two nodes confirm it, or if
   * the stored version was disputed.
   */
  private async take(block: SourcedBlock): Promise<void> {
    const { source, store, proofs } = this.parts;
    const { row, record, endpoint } = block;
    const { height } = row;
    const comparison = await source.compare(block);
    const [content, name] = [contentHash(record), endpoint?.name ?? ''];
    const nodes = comparison.result === 'same' ? [name, comparison.second] : [name];
    const known = store.has(height) ? proofs.at(height) : undefined;
    if (known && known.content !== content && comparison.result !== 'same' && !known.isDisputed) {
      const text = `${known.nodes.join(', ')} and ${name} answer differently`;
      proofs.noteDifference(height, { text, isOfHashes: false });
      proofs.confirm(height, known.content, []);
      return;
    }
    if (comparison.result === 'refuted' || comparison.result === 'differs') {
      const text = differenceText(endpoint, comparison);
      proofs.noteDifference(height, { text, isOfHashes: comparison.result === 'refuted' });
    }
    if (known?.content !== content) await store.replace(row, block.block);
    proofs.confirm(height, content, nodes);
  }

  private reporter(total: number): () => void {
    const { progress } = this.context;
    const began = performance.now();
    let done = 0;
    return () => {
      progress.update(++done, total);
      if (done !== PROGRESS_BLOCKS) return;
      const seconds = Math.ceil(((performance.now() - began) / done / 1000) * (total - done));
      progress.say(`${total - done} more blocks to fetch, which takes about ${seconds} s`, { blocks: total });
    };
  }

  /**
   * Returns one sentence for each part of a wallet's history that could not be found.
   * @param heights heights of the wallet's blocks
   */
  missing({ pruned, isTooLarge, heights: found }: Finding, heights: readonly number[]): string[] {
    const { first } = this.parts.ends;
    const before = found.filter((height) => height < first).length + pruned;
    const lost = heights.filter((height) => this.lost.has(height)).sort((a, b) => a - b);
    return [
      ...(isTooLarge
        ? [
            `it has more than ${HEIGHTS_MAX} heights, which is too many for a dataset of single wallets. Index the whole chain instead`,
          ]
        : []),
      ...(before > 0
        ? [`${before} blocks of the wallet before height ${first} are pruned on all nodes. ${ADD_ARCHIVE}`]
        : []),
      ...(lost.length > 0
        ? [
            `no node returns the blocks ${lost.slice(0, 10).join(', ')}${lost.length > 10 ? ` and ${lost.length - 10} more` : ''}. ${ADD_NODE}`,
          ]
        : []),
    ];
  }
}
