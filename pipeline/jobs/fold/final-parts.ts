/** Writes final rows in monthly parts, as soon as no guess is on trial. */
import { writeLines } from '../../disk/lines.js';
import { serializeState } from '../../holdings/checkpoint.js';
import type { OnCertain } from '../../holdings/guesses/guesses.js';
import type { Emit, HoldingsState, UpgradePlan } from '../../holdings/state.js';
import type { ReviewedChanges } from '../../holdings/state-changes.js';
import { FoldRows } from './fold-rows.js';
import { checkpointFile, finalFolder, writePartFacts } from './holdings-folder.js';
import { keyUpTo } from './reviewed-keys.js';

export class FinalParts {
  /** UTC month of the current part, YYYY-MM; '' before the first block. */
  private month = '';

  private constructor(
    private readonly folder: string,
    private readonly reviewed: ReviewedChanges,
    private from: number,
    private rows: FoldRows,
  ) {}

  /** @param from first folded height */
  static async open(folder: string, from: number, reviewed: ReviewedChanges): Promise<FinalParts> {
    return new FinalParts(folder, reviewed, from, await FoldRows.open(folder));
  }

  readonly emit: Emit = (table, row) => this.rows.emit(table, row);

  readonly endMonth: OnCertain = (state, next) => {
    const month = next.time.slice(0, 7);
    if (month === this.month) return undefined;
    if (this.month !== '') return this.beginNext(state, month);
    this.month = month;
    return undefined;
  };

  /**
   * @param to last height with final rows
   * @param upgrades upgrades up to this height, possibly also later ones
   * @param checkpoint state at this height, as lines
   */
  async finish(to: number, upgrades: readonly UpgradePlan[], checkpoint: Iterable<string>): Promise<void> {
    if (to < this.from) return;
    const { from, month } = this;
    const ran = upgrades.filter(({ height }) => height <= to);
    const reviewed = keyUpTo(to, ran, this.reviewed);
    await this.rows.finish(finalFolder(this.folder, from, to), (making) => {
      writeLines(checkpointFile(making), checkpoint);
      writePartFacts(making, { month, upgrades: ran, reviewed });
    });
  }

  close(): void {
    this.rows.close();
  }

  private async beginNext(state: HoldingsState, month: string): Promise<void> {
    await this.finish(state.height, state.upgrades, serializeState(state));
    this.rows.close();
    this.rows = await FoldRows.open(this.folder);
    this.from = state.height + 1;
    this.month = month;
  }
}
