/** Folds blocks to disk: the rows that are final from now on, month by month, and those that can still change. */
import type { HoldingsStop } from '../../../schemas/types.generated.js';
import type { FullBlock } from '../../chain/block.js';
import { readLines } from '../../disk/lines.js';
import { deserializeState } from '../../holdings/checkpoint.js';
import { foldBlocks } from '../../holdings/fold-blocks.js';
import { HoldingsError } from '../../holdings/holdings-error.js';
import { openRows } from '../../holdings/modules/intervals.js';
import { sha256 } from '../../holdings/start/load-starting-state.js';
import type { UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';
import { unknownUpgrade } from '../../holdings/upgrades.js';
import { FinalParts } from './final-parts.js';
import { FoldRows } from './fold-rows.js';
import { checkpointFile, lastCheckpoint, openFolder, writeOpenFacts } from './holdings-folder.js';
import { keyOfAll } from './reviewed-keys.js';

/** The blocks first..last, as often as they are asked for. */
type Blocks = (first: number, last: number) => AsyncIterable<FullBlock>;

/**
 * Folds on from the last checkpoint, to the last block or to the one before the first that the fold cannot explain. Afterwards the
 * folder has more of final rows, unless nothing became final, and the open rows; those say why the fold stopped, if it did.
 * @param last height to fold to
 * @param reviewed changes that no event tells
 * @returns the plan of an upgrade to come that nobody has reviewed
 */
export async function foldRange(
  folder: string,
  last: number,
  blocks: Blocks,
  reviewed: ReviewedChanges,
): Promise<UpgradePlan | undefined> {
  const { stop, unknown } = await foldUntil(folder, last, blocks, reviewed).catch(stopped);
  if (!stop) return unknown;
  // The state is of no use after an error: what is proved is folded once more, from the last checkpoint on.
  return (await foldUntil(folder, stop.height - 1, blocks, reviewed, stop)).unknown;
}

/** The outcome of a fold: it went all the way, with the plan of an unknown upgrade to come if there is one, or it stopped. */
interface FoldedRange {
  readonly unknown?: UpgradePlan | undefined;
  readonly stop?: HoldingsStop;
}

/** Meaning of an error of the fold. @throws any other error */
function stopped(error: unknown): FoldedRange {
  if (!(error instanceof HoldingsError)) throw error;
  const { height, message, circumstances } = error;
  return { stop: { height, day: circumstances.day, reason: message } };
}

/**
 * Folds to that very block.
 * @param stop reason why not further, for the open rows
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
async function foldUntil(
  folder: string,
  last: number,
  blocks: Blocks,
  reviewed: ReviewedChanges,
  stop?: HoldingsStop,
): Promise<FoldedRange> {
  const from = lastCheckpoint(folder);
  const parts = await FinalParts.open(folder, from.height + 1, reviewed);
  const open = await FoldRows.open(folder);
  try {
    const begin = deserializeState(readLines(checkpointFile(from.path)), sha256);
    const { state, assumed, settled, checkpoint } = await foldBlocks(
      begin,
      (height) => blocks(height, last),
      parts.emit,
      { reviewed, onCertain: parts.endMonth },
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
