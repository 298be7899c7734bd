/**
 * Folds blocks; returns to an earlier block if a guess was wrong. Rows and checkpoints are emitted only when no open
 * guess affects them.
 */
import type { FullBlock } from '../chain/block.js';
import { Folding, type HoldingsRow, REACH, type Reach } from './folding.js';
import { HoldingsError } from './holdings-error.js';
import type { Emit, HoldingsState } from './state.js';
import { NOTHING_REVIEWED, type ReviewedChanges } from './state-changes.js';

/** Yields blocks from a height, ascending; called again when the fold goes back. */
export type BlocksFrom = (height: number) => AsyncIterable<FullBlock> | Iterable<FullBlock>;

/** Called before a block if no guess is open; all rows up to the state's height are emitted by then. */
export type OnCertain = (state: HoldingsState, next: FullBlock) => Promise<void> | undefined;

export interface Folded {
  /** State after the last block. Each assumption in it is off by at most one share. */
  readonly state: HoldingsState;
  /** Rows that depend on open guesses. With openRows(state) and the emitted rows they are complete. */
  readonly assumed: readonly HoldingsRow[];
  /** Last height with all rows emitted: the last block, or the block before the oldest open guess. */
  readonly settled: number;
  /** Serializes the state at that height. Rewinds the state itself, so call it last. */
  checkpoint(): Iterable<string>;
}

interface FoldOptions {
  readonly reviewed?: ReviewedChanges;
  /** Called after each block, again for blocks folded anew. Must not change the state. */
  readonly onBlock?: (state: HoldingsState) => void;
  readonly onCertain?: OnCertain;
  readonly reach?: Reach;
  /** Fixed choices for future guesses, by guess id. */
  readonly fixed?: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Recent blocks kept while a guess is open. Most guesses are disproved soon, so these need not be read again. */
const KEPT_BLOCKS_MAX = 64;

/**
 * Folds all blocks after the state's height.
 * @param state changed in place
 * @param emit receives rows that no open guess affects
 * @throws HoldingsError if a figure differs and no open guess can explain it
 */
export async function foldBlocks(
  state: HoldingsState,
  blocksFrom: BlocksFrom,
  emit: Emit,
  options: FoldOptions = {},
): Promise<Folded> {
  const { reviewed = NOTHING_REVIEWED, reach = REACH, fixed = NONE } = options;
  const { onBlock = () => {}, onCertain = () => undefined } = options;
  const folding = new Folding(state, emit, reviewed, reach, fixed);
  while (!(await foldAll(folding, blocksFrom(folding.state.height + 1), onBlock, onCertain)));
  const { held: assumed, settled } = folding;
  return { state, assumed, settled, checkpoint: () => folding.checkpoint() };
}

/** @returns true if all blocks are folded, false if the fold went back to a block that is no longer kept */
async function foldAll(
  folding: Folding,
  blocks: AsyncIterable<FullBlock> | Iterable<FullBlock>,
  onBlock: (state: HoldingsState) => void,
  onCertain: OnCertain,
): Promise<boolean> {
  /** Latest blocks since the oldest open guess, ascending. */
  const kept: FullBlock[] = [];
  for await (const block of blocks) {
    if (folding.isCertain) {
      const done = onCertain(folding.state, block);
      if (done) await done;
    }
    kept.push(block);
    if (kept.length > KEPT_BLOCKS_MAX) kept.shift();
    let next: FullBlock | undefined = block;
    while (next) {
      if (foldOne(folding, next)) onBlock(folding.state);
      next = kept.find(({ height }) => height === folding.state.height + 1);
    }
    if (folding.state.height < block.height) return false;
    if (folding.isCertain) kept.length = 0;
  }
  return true;
}

/** @returns false if the fold went back to a guess's block */
function foldOne(folding: Folding, block: FullBlock): boolean {
  try {
    folding.fold(block);
    return folding.state.height === block.height;
  } catch (error) {
    if (!(error instanceof HoldingsError)) throw error;
    folding.goBack(error);
    return false;
  }
}
