/** Raw blocks → what everybody held, on disk: the rows that are final from now on, and those that can still change. */
import { mkdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { lastHeightOfRange, listRanges } from '../chain/raw-files.js';
import { readBlocks } from '../chain/read-blocks.js';
import { Database, type RowAppender } from '../database.js';
import { deserializeState } from '../holdings/checkpoint.js';
import { foldBlocks } from '../holdings/fold-blocks.js';
import { openRows } from '../holdings/intervals.js';
import { sha256 } from '../holdings/load-starting-state.js';
import type { Emit, HoldingsTables } from '../holdings/state.js';
import { finishFolder, unfinished } from '../publish/files.js';
import {
  checkpointFile,
  HOLDINGS_TABLES,
  lastCheckpoint,
  openFolder,
  partFolder,
  readLines,
  tableFile,
  writeLines,
} from './holdings-folder.js';

/** How often a file that is still to come is looked for. */
const LOOK_EVERY_MS = 20;

/** What is to be done. Plain data: it may cross threads. */
export interface FoldJob {
  /** Of the fold, see holdings-folder. */
  readonly folder: string;
  /** Of the raw blocks, which may still be arriving. */
  readonly rawFolder: string;
  /** Last height to fold. */
  readonly last: number;
}

/** A DuckDB in memory that takes rows while blocks are read from another: one does not append while it streams. */
class Rows {
  private constructor(
    private readonly database: Database,
    private readonly appenders: ReadonlyMap<string, RowAppender<HoldingsTables[keyof HoldingsTables]>>,
  ) {}

  static async open(): Promise<Rows> {
    const database = await Database.open({ threads: 1 });
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
 * Folds on from the last checkpoint. The folder has a part more afterwards, unless nothing became final, and the open rows.
 * @throws HoldingsError when a figure of the chain differs from the fold's
 */
export async function foldRange({ folder, rawFolder, last }: FoldJob): Promise<void> {
  const source = await Database.open({ threads: 1 });
  const [final, open] = [await Rows.open(), await Rows.open()];
  try {
    const from = lastCheckpoint(folder);
    const begin = deserializeState(readLines(checkpointFile(from.path)), sha256);
    const blocksFrom = (height: number) => arrivingBlocks(source, rawFolder, height, last);
    const { state, assumed, settled, checkpoint } = await foldBlocks(begin, blocksFrom, final.emit);
    for (const { table, row } of assumed) open.emit(table, row);
    openRows(state, open.emit);
    if (settled > from.height) await final.finish(partFolder(folder, from.height + 1, settled), checkpoint());
    await open.finish(openFolder(folder, last));
  } finally {
    for (const database of [source, final, open]) database.close();
  }
}

/** The blocks first..last, each as soon as its file has all that this night brings. */
async function* arrivingBlocks(database: Database, rawFolder: string, first: number, last: number) {
  let ranges = listRanges(rawFolder);
  for (let height = first; height <= last; ) {
    const needed = Math.min(lastHeightOfRange(height), last);
    const range = ranges.find(({ from, to }) => from <= height && to >= needed);
    if (range) {
      yield* readBlocks(database, range, height, needed);
      height = needed + 1;
    } else {
      await wait(LOOK_EVERY_MS);
      ranges = listRanges(rawFolder);
    }
  }
}
