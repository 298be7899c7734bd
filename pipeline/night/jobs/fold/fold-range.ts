import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HoldingsStop } from '../../../../schemas/types.generated.js';
import { removeFolder, unfinished } from '../../../base/disk/atomic-files.js';
import { readLines, writeLines } from '../../../base/disk/lines.js';
import { sealFolder } from '../../../base/disk/sealed-folder.js';
import { Database, type RowAppender } from '../../../base/duckdb/database.js';
import type { FullBlock } from '../../../chain/block.js';
import { deserializeState, serializeState } from '../../../holdings/checkpoint.js';
import { foldBlocks } from '../../../holdings/fold-blocks.js';
import { explain, type OnCertain, type Reach, type Tried } from '../../../holdings/guesses.js';
import { HoldingsError } from '../../../holdings/holdings-error.js';
import { openRows } from '../../../holdings/modules/stake-rows.js';
import { sha256 } from '../../../holdings/start/load-starting-state.js';
import type { Choices, Emit, HoldingsState, HoldingsTables, UpgradePlan } from '../../../holdings/state.js';
import { unknownUpgrade } from '../../../holdings/state-changes.js';
import { parseTime } from '../../../holdings/values/time.js';
import {
  checkpointFile,
  FOLDED_TABLES,
  type FoldSettings,
  type HoldingsFolder,
  ROWS_DATABASE,
  writeOpenFacts,
  writePartFacts,
  writeRows,
} from './holdings-folder.js';

interface Inputs {
  readonly folder: HoldingsFolder;
  /** Reads blocks. Called again if the fold must repeat blocks. */
  readonly blocks: (first: number, last: number) => AsyncIterable<FullBlock>;
  readonly settings: FoldSettings;
  readonly reach: Reach | undefined;
}

/**
 * Computes holdings block by block up to `last` (the fold). Stops before a block whose amounts differ from the computed
 * ones. Writes final rows by month. Writes rows that may still change to another folder, with the reason for the stop.
 * If a standing guess (holdings/guesses.ts) proves wrong, repeats the blocks since that guess.
 * @returns the next planned upgrade if it is not reviewed
 */
export async function foldRange(
  folder: HoldingsFolder,
  last: number,
  blocks: Inputs['blocks'],
  settings: FoldSettings,
  reach?: Reach,
): Promise<UpgradePlan | undefined> {
  const inputs = { folder, blocks, settings, reach };
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
      // The error has left the state unusable, so the fold starts again and ends before the block with the difference.
      return (await foldUntil(inputs, height - 1, choices, stop)).unknown;
    }
    folder.dropLater(explanation.from - 1);
    fixed = explanation.choices;
  }
}

function differenceOf(error: unknown): HoldingsError {
  if (error instanceof HoldingsError) return error;
  throw error;
}

const readState = (path: string): HoldingsState => deserializeState(readLines(checkpointFile(path)), sha256);

async function tryChoices(
  { folder, blocks, settings: { reviewed }, reach }: Inputs,
  from: number,
  until: number,
  fixed: Choices,
): Promise<Tried> {
  const checkpoint = folder.lastCheckpoint(from - 1);
  const blocksFrom = (height: number) => blocks(height, until);
  const fold = foldBlocks(readState(checkpoint.path), blocksFrom, () => {}, { reviewed, reach, fixed });
  const difference = await fold.then(() => undefined, differenceOf);
  return { difference, blocks: (difference?.height ?? until) - checkpoint.height };
}

/** Repeats the fold since the last checkpoint. @param fixed choices for guesses that are already decided */
async function foldUntil(
  { folder, blocks, settings, reach }: Inputs,
  last: number,
  fixed: Choices,
  stop?: HoldingsStop,
): Promise<{ readonly unknown: UpgradePlan | undefined }> {
  const from = folder.lastCheckpoint();
  const { reviewed, edges } = settings;
  const parts = await FinalPartWriter.open(folder, from.height + 1, settings);
  const open = await FoldRows.open(folder.path);
  try {
    const { state, assumed, settled, checkpoint } = await foldBlocks(
      readState(from.path),
      (height) => blocks(height, last),
      parts.emit,
      { reviewed, hasEdge: (period) => edges.hasEdge(period), onCertain: parts.endMonth, reach, fixed },
    );
    for (const { table, row } of assumed) open.emit(table, row);
    openRows(state, open.emit);
    const unknown = unknownUpgrade(state, reviewed.upgrades);
    const [until, upgrades] = [state.time, [...state.upgrades]];
    const lines = checkpoint(); // rewinds the state
    const after = state.time > parts.after ? state.time : parts.after;
    await parts.finish({ to: settled, until: after, upgrades }, lines);
    const facts = { stop, period: { after, until } };
    await open.finish(folder.openFolder(last), (making) => writeOpenFacts(making, facts, settings));
    return { unknown };
  } finally {
    for (const rows of [parts, open]) rows.close();
  }
}

interface PartEnd {
  readonly to: number;
  /** Time of the last block. */
  readonly until: bigint;
  readonly upgrades: readonly UpgradePlan[];
}

class FinalPartWriter {
  private month = '';
  /** Time of the last block before the part, or of the first block after the starting state. */
  after = 0n;

  private constructor(
    private readonly folder: HoldingsFolder,
    private readonly settings: FoldSettings,
    private from: number,
    private rows: FoldRows,
  ) {}

  static async open(folder: HoldingsFolder, from: number, settings: FoldSettings): Promise<FinalPartWriter> {
    return new FinalPartWriter(folder, settings, from, await FoldRows.open(folder.path));
  }

  readonly emit: Emit = (table, row) => this.rows.emit(table, row);

  readonly endMonth: OnCertain = (state, next) => {
    const month = next.time.slice(0, 7);
    if (month === this.month) return undefined;
    if (this.month !== '') return this.beginNext(state, month);
    this.month = month;
    this.after = state.day === '' ? parseTime(next.time) : state.time;
    return undefined;
  };

  async finish({ to, until, upgrades }: PartEnd, checkpoint: Iterable<string>): Promise<void> {
    if (to < this.from) return;
    const { from, month, after } = this;
    const ran = upgrades.filter(({ height }) => height <= to);
    await this.rows.finish(this.folder.finalFolder(from, to), (making) => {
      writeLines(checkpointFile(making), checkpoint);
      writePartFacts(making, { month, to, upgrades: ran, period: { after, until } }, this.settings);
    });
  }

  close(): void {
    this.rows.close();
  }

  private async beginNext(state: HoldingsState, month: string): Promise<void> {
    const { height, time, upgrades } = state;
    await this.finish({ to: height, until: time, upgrades }, serializeState(state));
    this.rows.close();
    this.rows = await FoldRows.open(this.folder.path);
    this.from = height + 1;
    this.month = month;
    this.after = time;
  }
}

/** Collects rows in a separate DuckDB database, because one connection cannot append while it streams blocks. */
class FoldRows {
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
