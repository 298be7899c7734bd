/** Folds blocks to disk: the rows that are final from now on, month by month, and those that can still change. */
import type { HoldingsStop } from '../../../schemas/types.generated.js';
import type { FullBlock } from '../../chain/block.js';
import { readLines } from '../../disk/lines.js';
import { deserializeState } from '../../holdings/checkpoint.js';
import { foldBlocks } from '../../holdings/fold-blocks.js';
import { REACH, type Reach } from '../../holdings/folding.js';
import { HoldingsError } from '../../holdings/holdings-error.js';
import { openRows } from '../../holdings/modules/intervals.js';
import { sha256 } from '../../holdings/start/load-starting-state.js';
import type { HoldingsState, UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';
import { unknownUpgrade } from '../../holdings/upgrades.js';
import { FinalParts } from './final-parts.js';
import { FoldRows } from './fold-rows.js';
import { checkpointFile, dropLater, lastCheckpoint, openFolder, writeOpenFacts } from './holdings-folder.js';
import { keyOfAll } from './reviewed-keys.js';
import { type Choices, explain, type Tried } from './standing-guesses.js';

/** The inputs of a fold. */
interface Inputs {
  /** The holdings folder. */
  readonly folder: string;
  /** The blocks first..last, as often as they are asked for. */
  readonly blocks: (first: number, last: number) => AsyncIterable<FullBlock>;
  readonly reviewed: ReviewedChanges;
  readonly reach: Reach;
}

/**
 * Folds on from the last checkpoint, to the last block or to the one before the first that the fold cannot explain. Afterwards the
 * folder has more of final rows, unless nothing became final, and the open rows; those say why the fold stopped, if it did. Where a guess
 * that stands is wrong, what was kept from its block on is folded anew.
 * @param last height to fold to
 * @param reviewed changes that no event tells
 * @returns the plan of an upgrade to come that nobody has reviewed
 */
export async function foldRange(
  folder: string,
  last: number,
  blocks: Inputs['blocks'],
  reviewed: ReviewedChanges,
  reach: Reach = REACH,
): Promise<UpgradePlan | undefined> {
  const inputs = { folder, blocks, reviewed, reach };
  for (let fixed: Choices = new Map(); ; ) {
    const choices = fixed;
    const folded = await foldUntil(inputs, last, choices).catch(differenceOf);
    if (!(folded instanceof HoldingsError)) return folded.unknown;
    const explanation = await explain(folded, ({ choices: others, from }) =>
      tryChoices(inputs, from, folded.height, others),
    );
    if (!explanation) {
      const { height, message, circumstances } = folded;
      const stop = { height, day: circumstances.day, reason: message };
      // The state is of no use after an error: what is proved is folded once more, from the last checkpoint on.
      return (await foldUntil(inputs, height - 1, choices, stop)).unknown;
    }
    dropLater(folder, explanation.from - 1);
    fixed = explanation.choices;
  }
}

/** @throws any error that is none of the fold */
function differenceOf(error: unknown): HoldingsError {
  if (error instanceof HoldingsError) return error;
  throw error;
}

const readState = (path: string): HoldingsState => deserializeState(readLines(checkpointFile(path)), sha256);

/** Folds with other choices, from the checkpoint before a height. */
async function tryChoices(
  { folder, blocks, reviewed, reach }: Inputs,
  from: number,
  until: number,
  fixed: Choices,
): Promise<Tried> {
  const checkpoint = lastCheckpoint(folder, from - 1);
  const blocksFrom = (height: number) => blocks(height, until);
  const fold = foldBlocks(readState(checkpoint.path), blocksFrom, () => {}, { reviewed, reach, fixed });
  const difference = await fold.then(() => undefined, differenceOf);
  return { difference, blocks: (difference?.height ?? until) - checkpoint.height };
}

/**
 * Folds to that very block.
 * @param fixed choices of guesses that stand, from the last checkpoint on
 * @param stop reason why not further, for the open rows
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
async function foldUntil(
  { folder, blocks, reviewed, reach }: Inputs,
  last: number,
  fixed: Choices,
  stop?: HoldingsStop,
): Promise<{ readonly unknown: UpgradePlan | undefined }> {
  const from = lastCheckpoint(folder);
  const parts = await FinalParts.open(folder, from.height + 1, reviewed);
  const open = await FoldRows.open(folder);
  try {
    const { state, assumed, settled, checkpoint } = await foldBlocks(
      readState(from.path),
      (height) => blocks(height, last),
      parts.emit,
      { reviewed, onCertain: parts.endMonth, reach, fixed },
    );
    for (const { table, row } of assumed) open.emit(table, row);
    openRows(state, open.emit);
    const unknown = unknownUpgrade(state, reviewed.upgrades);
    await parts.finish(settled, [...state.upgrades], checkpoint());
    const facts = { reviewed: keyOfAll(reviewed), stop };
    await open.finish(openFolder(folder, last), (making) => writeOpenFacts(making, facts));
    return { unknown };
  } finally {
    for (const rows of [parts, open]) rows.close();
  }
}
