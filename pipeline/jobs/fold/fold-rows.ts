import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, unfinished } from '../../disk/atomic-files.js';
import { sealFolder } from '../../disk/sealed-folder.js';
import { Database, type RowAppender } from '../../duckdb/database.js';
import type { Emit, HoldingsTables } from '../../holdings/state.js';
import { FOLDED_TABLES, writeRows } from './holdings-folder.js';

/** Low limit, because the state needs the memory; waiting rows are spilled. */
export const ROWS_DATABASE = { threads: 1, memoryLimit: '200MB' };

/** A separate DuckDB, because one connection cannot append while it streams blocks. */
export class FoldRows {
  private constructor(
    private readonly database: Database,
    private readonly appenders: ReadonlyMap<string, RowAppender<HoldingsTables[keyof HoldingsTables]>>,
  ) {}

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
