/** Folds blocks to disk: the rows that are final from now on, and those that can still change. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Upgrade } from '../../../schemas/types.generated.js';
import type { FullBlock } from '../../chain/block.js';
import { finishFolder, unfinished } from '../../disk/atomic-files.js';
import { readLines, writeLines } from '../../disk/lines.js';
import { Database, type RowAppender } from '../../duckdb/database.js';
import { deserializeState } from '../../holdings/checkpoint.js';
import { foldBlocks } from '../../holdings/fold-blocks.js';
import { openRows } from '../../holdings/modules/intervals.js';
import { sha256 } from '../../holdings/start/load-starting-state.js';
import type { Emit, HoldingsTables, UpgradePlan } from '../../holdings/state.js';
import { unknownUpgrade } from '../../holdings/upgrades.js';
import {
  checkpointFile,
  finalFolder,
  HOLDINGS_TABLES,
  lastCheckpoint,
  openFolder,
  tableFile,
} from './holdings-folder.js';

/** A DuckDB in memory that takes rows while blocks are read from another: one does not append while it streams. */
class Rows {
  private constructor(
    private readonly database: Database,
    private readonly appenders: ReadonlyMap<string, RowAppender<HoldingsTables[keyof HoldingsTables]>>,
  ) {}

  static async open(folder: string): Promise<Rows> {
    const database = await Database.open(unfinished(join(folder, 'rows-spill')), { threads: 1 });
    const appenders = new Map<string, RowAppender<HoldingsTables[keyof HoldingsTables]>>();
    for (const table of HOLDINGS_TABLES) {
      await database.create(table);
      appenders.set(table, await database.appender(table));
    }
    return new Rows(database, appenders);
  }

  readonly emit: Emit = (table, row) => this.appenders.get(table)!.add(row);

  /** Writes what was emitted as a folder of its own, with a checkpoint if one is given. */
  async finish(folder: string, checkpoint?: Iterable<string>): Promise<void> {
    const making = unfinished(folder);
    mkdirSync(making, { recursive: true });
    for (const [table, appender] of this.appenders) {
      appender.close();
      await this.database.copy(table, tableFile(making, table));
    }
    if (checkpoint) writeLines(checkpointFile(making), checkpoint);
    finishFolder(making, folder);
  }

  close(): void {
    this.database.close();
  }
}

/**
 * Folds on from the last checkpoint. Afterwards the folder has one more of final rows, unless nothing became final, and the open rows.
 * @param last height to fold to
 * @param blocks the blocks first..last, as often as they are asked for
 * @param upgrades that were reviewed
 * @returns the plan of an upgrade to come that is not among them
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
export async function foldRange(
  folder: string,
  last: number,
  blocks: (first: number, last: number) => AsyncIterable<FullBlock>,
  upgrades: readonly Upgrade[],
): Promise<UpgradePlan | undefined> {
  const [final, open] = [await Rows.open(folder), await Rows.open(folder)];
  try {
    const from = lastCheckpoint(folder);
    const begin = deserializeState(readLines(checkpointFile(from.path)), sha256);
    const { state, assumed, settled, checkpoint } = await foldBlocks(
      begin,
      (height) => blocks(height, last),
      final.emit,
      upgrades,
    );
    for (const { table, row } of assumed) open.emit(table, row);
    openRows(state, open.emit);
    if (settled > from.height) await final.finish(finalFolder(folder, from.height + 1, settled), checkpoint());
    await open.finish(openFolder(folder, last));
    return unknownUpgrade(state, upgrades);
  } finally {
    for (const database of [final, open]) database.close();
  }
}
