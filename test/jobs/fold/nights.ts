/** Nights that fold blocks a test has made, in a holdings folder of their own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FullBlock } from '../../../pipeline/chain/block.js';
import { readLines, writeLines } from '../../../pipeline/disk/lines.js';
import { Database } from '../../../pipeline/duckdb/database.js';
import { readTable } from '../../../pipeline/duckdb/table.js';
import { deserializeState, serializeState } from '../../../pipeline/holdings/checkpoint.js';
import type { Reach } from '../../../pipeline/holdings/guesses/guesses.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import type { Guess, HoldingsState } from '../../../pipeline/holdings/state.js';
import { NOTHING_REVIEWED, type ReviewedChanges } from '../../../pipeline/holdings/state-changes.js';
import { foldRange } from '../../../pipeline/jobs/fold/fold-range.js';
import {
  checkpointFile,
  FOLDED_TABLES,
  foldEnd,
  foldedFolders,
  lastCheckpoint,
  startFile,
  startFolder,
  tableFile,
  tidyHoldings,
} from '../../../pipeline/jobs/fold/holdings-folder.js';

/** More than any of these chains needs. */
const UNBOUNDED: Reach = { blocks: 1e9, changes: 1e9, guesses: 1e9 };

/** The end of a night that is killed. */
export class Killed extends Error {}

/** A holdings folder with the nights that fold into it. */
export class Nights {
  readonly folder = mkdtempSync(join(tmpdir(), 'hubledger-fold-range-'));
  /** Number of blocks that the last night has read. */
  read = 0;
  /** Number of blocks after which a night is killed. */
  life = Number.POSITIVE_INFINITY;

  constructor(
    begin: HoldingsState,
    private readonly chain: readonly FullBlock[],
    private readonly reach: Reach,
    private readonly reviewed: ReviewedChanges = NOTHING_REVIEWED,
  ) {
    const start = startFolder(this.folder);
    mkdirSync(start);
    writeLines(checkpointFile(start), serializeState(begin));
    writeFileSync(startFile(start), JSON.stringify({ height: begin.height }));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  async night(last: number): Promise<void> {
    this.read = 0;
    await foldRange(this.folder, last, (from, to) => this.blocks(from, to), this.reviewed, this.reach);
    tidyHoldings(this.folder, foldEnd(this.folder, last)!.until);
  }

  /** Guesses that stand after the last night. */
  standing(): readonly Guess[] {
    return deserializeState(readLines(checkpointFile(lastCheckpoint(this.folder).path)), sha256).guesses;
  }

  private async *blocks(from: number, to: number): AsyncGenerator<FullBlock> {
    for (const one of this.chain.slice(from - 1, to)) {
      this.read += 1;
      if (--this.life < 0) throw new Killed();
      yield one;
    }
  }

  /** All rows as of a height, as texts. */
  async rows(height: number): Promise<string[]> {
    const database = await Database.open(join(this.folder, 'spill'), { threads: 1 });
    try {
      const found: string[] = [];
      const folders = foldedFolders(this.folder, height).slice(1);
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

/** Rows as one fold gives them that can go back to every guess. */
export async function rowsAtOnce(begin: HoldingsState, chain: readonly FullBlock[], reviewed?: ReviewedChanges) {
  const nights = new Nights(begin, chain, UNBOUNDED, reviewed);
  try {
    await nights.night(chain.length);
    return await nights.rows(chain.length);
  } finally {
    nights.remove();
  }
}
