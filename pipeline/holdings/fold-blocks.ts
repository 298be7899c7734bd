/**
 * Folds many blocks, some of them again where the fold goes back to a guess. Rows and checkpoints are handed out only when nothing
 * in them is on trial.
 */
import type { FullBlock } from '../chain/block.js';
import { Folding, type HoldingsRow, REACH, type Reach } from './folding.js';
import { HoldingsError } from './holdings-error.js';
import type { Emit, HoldingsState } from './state.js';
import { NOTHING_REVIEWED, type ReviewedChanges } from './state-changes.js';

/** The blocks from a height on, in ascending order; asked for again when the fold goes back. */
export type BlocksFrom = (height: number) => AsyncIterable<FullBlock> | Iterable<FullBlock>;

/** Called before a block while no guess is on trial: all rows up to the state's height are emitted then. */
export type OnCertain = (state: HoldingsState, next: FullBlock) => Promise<void> | undefined;

export interface Folded {
  /** After the last block. Assumptions in it are off by at most one share each. */
  readonly state: HoldingsState;
  /** Final but for the guesses on trial; together with openRows(state) and what was emitted they are all rows. */
  readonly assumed: readonly HoldingsRow[];
  /** Last height of which all rows are emitted: the last block's, or the one before the oldest guess on trial. */
  readonly settled: number;
  /** Lines of the state at that height, to resume from. It takes the state itself back there: to be asked for last. */
  checkpoint(): Iterable<string>;
}

interface FoldOptions {
  /** Changes that no event tells. */
  readonly reviewed?: ReviewedChanges;
  /** Called after each block with the state, which is not to be changed; again for blocks folded anew. */
  readonly onBlock?: (state: HoldingsState) => void;
  readonly onCertain?: OnCertain;
  readonly reach?: Reach;
  /** Choices of guesses to come, which stand. */
  readonly fixed?: ReadonlyMap<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Blocks kept while a guess is open: most are disproved soon after, and need not be read a second time then. */
const KEPT_BLOCKS_MAX = 64;

/**
 * Folds all blocks after the state's height.
 * @param state is changed in place
 * @param emit takes the rows that are final but for the guesses that stand
 * @throws HoldingsError when a figure of the chain differs and no guess on trial can be the cause
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

/** @returns whether all of them are folded; else the fold went back to a block that is no longer at hand */
async function foldAll(
  folding: Folding,
  blocks: AsyncIterable<FullBlock> | Iterable<FullBlock>,
  onBlock: (state: HoldingsState) => void,
  onCertain: OnCertain,
): Promise<boolean> {
  /** The last blocks since the oldest open guess, in ascending order. */
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

/** @returns false when the fold went back: it stands before the block of a guess then */
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
