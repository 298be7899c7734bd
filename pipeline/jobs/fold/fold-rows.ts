/** Rows of the fold on their way to a folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, unfinished } from '../../disk/atomic-files.js';
import { sealFolder } from '../../disk/sealed-folder.js';
import { Database, type RowAppender } from '../../duckdb/database.js';
import type { Emit, HoldingsTables } from '../../holdings/state.js';
import { FOLDED_TABLES, writeRows } from './holdings-folder.js';

/** Little memory: beside the state there is none to spare, and rows that wait to be written are spilled. */
export const ROWS_DATABASE = { threads: 1, memoryLimit: '200MB' };

/** A DuckDB in memory that takes rows while blocks are read from another: one does not append while it streams. */
export class FoldRows {
  private constructor(
    private readonly database: Database,
    private readonly appenders: ReadonlyMap<string, RowAppender<HoldingsTables[keyof HoldingsTables]>>,
  ) {}

  /** @param folder the holdings folder */
  static async open(folder: string): Promise<FoldRows> {
    const database = await Database.open(unfinished(join(folder, 'rows-spill')), ROWS_DATABASE);
    const appenders = new Map<string, RowAppender<HoldingsTables[keyof HoldingsTables]>>();
    for (const table of FOLDED_TABLES) {
      await database.create(table);
      appenders.set(table, await database.appender(table));
    }
    return new FoldRows(database, appenders);
  }

  readonly emit: Emit = (table, row) => this.appenders.get(table)!.add(row);

  /** Writes what was emitted as a folder of its own, in place of one with that name. @param write adds files to it */
  async finish(folder: string, write: (making: string) => void = () => {}): Promise<void> {
    const making = unfinished(folder);
    mkdirSync(making, { recursive: true });
    for (const [table, appender] of this.appenders) {
      appender.close();
      await writeRows(this.database, table, making);
    }
    write(making);
    removeFolder(folder);
    await sealFolder(making, folder);
  }

  close(): void {
    this.database.close();
  }
}
