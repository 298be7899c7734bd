/** Nights that fold generated blocks into their own holdings folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLines, writeLines } from '../../../../pipeline/base/disk/lines.js';
import { Database } from '../../../../pipeline/base/duckdb/database.js';
import { readTable } from '../../../../pipeline/base/duckdb/table.js';
import { EdgeCalendar } from '../../../../pipeline/base/values/edges.js';
import type { FullBlock } from '../../../../pipeline/chain/block.js';
import { deserializeState, serializeState } from '../../../../pipeline/holdings/checkpoint.js';
import type { Reach } from '../../../../pipeline/holdings/guesses.js';
import { sha256 } from '../../../../pipeline/holdings/start/load-starting-state.js';
import type { Guess, HoldingsState } from '../../../../pipeline/holdings/state.js';
import type { ReviewedChanges } from '../../../../pipeline/holdings/state-changes.js';
import { foldRange } from '../../../../pipeline/night/jobs/fold/fold-range.js';
import {
  checkpointFile,
  FOLDED_TABLES,
  HoldingsFolder,
  startFile,
  tableFile,
} from '../../../../pipeline/night/jobs/fold/holdings-folder.js';

/** More than these chains need. */
const UNBOUNDED: Reach = { blocks: 1e9, changes: 1e9, guesses: 1e9 };

/** Thrown when a night is killed. */
export class Killed extends Error {}

export class Nights {
  readonly folder = new HoldingsFolder(mkdtempSync(join(tmpdir(), 'hubledger-fold-range-')));
  /** Blocks read by the last night. */
  read = 0;
  /** A night is killed after this many blocks. */
  life = Number.POSITIVE_INFINITY;

  constructor(
    begin: HoldingsState,
    private readonly chain: readonly FullBlock[],
    private readonly reach: Reach,
    private readonly reviewed: ReviewedChanges = { upgrades: [], corrections: [] },
    public edges = new EdgeCalendar([], []),
  ) {
    const { start } = this.folder;
    mkdirSync(start);
    writeLines(checkpointFile(start), serializeState(begin));
    writeFileSync(startFile(start), JSON.stringify({ height: begin.height }));
  }

  remove(): void {
    rmSync(this.folder.path, { recursive: true });
  }

  async night(last: number): Promise<void> {
    this.read = 0;
    const settings = { reviewed: this.reviewed, edges: this.edges };
    this.folder.dropOutdated(settings);
    await foldRange(this.folder, last, (from, to) => this.blocks(from, to), settings, this.reach);
    this.folder.tidy(this.folder.end(last)!.until);
  }

  standing(): readonly Guess[] {
    return deserializeState(readLines(checkpointFile(this.folder.lastCheckpoint().path)), sha256).guesses;
  }

  private async *blocks(from: number, to: number): AsyncGenerator<FullBlock> {
    for (const one of this.chain.slice(from - 1, to)) {
      this.read += 1;
      if (--this.life < 0) throw new Killed();
      yield one;
    }
  }

  /** Returns all rows as of a height. */
  async rows(height: number): Promise<string[]> {
    const database = await Database.open(join(this.folder.path, 'spill'), { threads: 1 });
    try {
      const found: string[] = [];
      const folders = this.folder.folders(height).slice(1);
      for (const table of FOLDED_TABLES) {
        const files = folders.map((folder) => tableFile(folder, table));
        await database.attach(table, files);
        const texts = readTable(table).columns.map(({ name }) => `"${name}"::varchar as "${name}"`);
        for (const row of await database.all<object>(`select ${texts.join(', ')} from "${table}"`)) {
          found.push(`${table} ${JSON.stringify(row)}`);
        }
      }
      return found.sort();
    } finally {
      database.close();
    }
  }
}

/** Returns the rows of one fold that can go back to every guess. */
export async function rowsAtOnce(
  begin: HoldingsState,
  chain: readonly FullBlock[],
  reviewed?: ReviewedChanges,
  edges?: EdgeCalendar,
) {
  const nights = new Nights(begin, chain, UNBOUNDED, reviewed, edges);
  try {
    await nights.night(chain.length);
    return await nights.rows(chain.length);
  } finally {
    nights.remove();
  }
}
