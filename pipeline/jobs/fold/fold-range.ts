import type { HoldingsStop } from '../../../schemas/types.generated.js';
import type { FullBlock } from '../../chain/block.js';
import { readLines } from '../../disk/lines.js';
import { deserializeState } from '../../holdings/checkpoint.js';
import { foldBlocks } from '../../holdings/fold-blocks.js';
import { explain, REACH, type Reach, type Tried } from '../../holdings/guesses/guesses.js';
import { HoldingsError } from '../../holdings/holdings-error.js';
import { openRows } from '../../holdings/modules/intervals.js';
import { sha256 } from '../../holdings/start/load-starting-state.js';
import type { Choices, HoldingsState, UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';
import { unknownUpgrade } from '../../holdings/upgrades.js';
import { FinalParts } from './final-parts.js';
import { FoldRows } from './fold-rows.js';
import { checkpointFile, dropLater, lastCheckpoint, openFolder, writeOpenFacts } from './holdings-folder.js';
import { keyOfAll } from './reviewed-keys.js';

interface Inputs {
  readonly folder: string;
  /** Returns blocks first..last; may be called repeatedly. */
  readonly blocks: (first: number, last: number) => AsyncIterable<FullBlock>;
  readonly reviewed: ReviewedChanges;
  readonly reach: Reach;
}

/**
 * Folds to `last`, or to the block before the first unexplained figure. Writes final rows by month, and open rows that
 * record why the fold stopped. If an accepted guess proves wrong, rows from its block on are folded again.
 * @param reviewed changes without an event
 * @returns the next planned upgrade if it is not reviewed
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
      // An error leaves the state unusable, so the proved part is folded again.
      return (await foldUntil(inputs, height - 1, choices, stop)).unknown;
    }
    dropLater(folder, explanation.from - 1);
    fixed = explanation.choices;
  }
}

/** @throws any error that is not a HoldingsError */
function differenceOf(error: unknown): HoldingsError {
  if (error instanceof HoldingsError) return error;
  throw error;
}

const readState = (path: string): HoldingsState => deserializeState(readLines(checkpointFile(path)), sha256);

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
 * @param fixed choices of accepted guesses since the last checkpoint
 * @param stop why the fold stops here
 * @throws HoldingsError if a figure of the chain differs
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
