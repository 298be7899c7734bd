/**
 * Folds many blocks. Where a contract's undelegation leaves two amounts open, one is assumed and the fold goes on; when a
 * later figure of the chain disproves it, the fold goes back to the block of the guess and takes the other. Rows and
 * checkpoints are handed out only when nothing in them is assumed.
 */
import type { FullBlock } from '../chain/block.js';
import { serializeState } from './checkpoint.js';
import { foldBlock } from './fold-state.js';
import { HoldingsError } from './holdings-error.js';
import { attributeOrNone } from './rules/event-walk.js';
import { TransactionMessages } from './rules/messages.js';
import type { Emit, HoldingsState, HoldingsTable, HoldingsTables } from './state.js';
import { NOTHING_REVIEWED, type ReviewedChanges } from './state-changes.js';
import { markState, returnToMark, type StateMark } from './state-mark.js';

/** The blocks from a height on, in ascending order; asked for again when the fold goes back. */
export type BlocksFrom = (height: number) => AsyncIterable<FullBlock> | Iterable<FullBlock>;

/** Called before a block while nothing is assumed: all rows up to the state's height are emitted then. */
export type OnCertain = (state: HoldingsState, next: FullBlock) => Promise<void> | undefined;

export type HoldingsRow = {
  [Table in HoldingsTable]: { readonly table: Table; readonly row: HoldingsTables[Table] };
}[HoldingsTable];

/** A guess that is neither proved nor disproved. */
interface Trial {
  readonly id: string;
  readonly validator: string;
  readonly choices: number;
  /** The state before its block, and how many rows were held back then. */
  readonly before: StateMark;
  readonly rows: number;
}

export interface Folded {
  /** After the last block. Assumptions in it are off by at most one share each. */
  readonly state: HoldingsState;
  /** Final but for the open guesses; together with openRows(state) and what was emitted they are all rows. */
  readonly assumed: readonly HoldingsRow[];
  /** Last height of which all rows are final and emitted: the last block's, or the one before the oldest open guess. */
  readonly settled: number;
  /** Lines of the state at that height, to resume from. It takes the state itself back there: to be asked for last. */
  checkpoint(): Iterable<string>;
}

/** Attempts at a figure, for all choices of ten guesses: one that more of them do not explain is not the chain's. */
const ATTEMPTS_MAX = 1024;

/** Blocks kept while a guess is open: most are disproved soon after, and need not be read a second time then. */
const KEPT_BLOCKS_MAX = 64;

class Folding {
  private trials: Trial[] = [];
  /** True while every guess is suspect, from the oldest on, until none is open; `attempts` counts those taken back since. */
  private triesAll = false;
  private attempts = 0;
  /** The difference at the highest block since the oldest open guess: what no choice explains is told by it. */
  private furthest: HoldingsError | undefined;
  private readonly decisions = new Map<string, number>();
  readonly held: HoldingsRow[] = [];

  constructor(
    readonly state: HoldingsState,
    private readonly emit: Emit,
    private readonly reviewed: ReviewedChanges,
  ) {}

  fold(block: FullBlock): void {
    const before = mayNeedGuess(block) ? markState(this.state) : undefined;
    const rows = this.held.length;
    try {
      foldBlock(this.state, block, this.hold, { decisions: this.decisions, ...this.reviewed });
    } finally {
      this.keepTrials(before, rows); // a guess may be disproved by its own block
    }
    if (this.isCertain) this.release();
  }

  private keepTrials(before: StateMark | undefined, rows: number): void {
    const open = new Map(this.state.guesses.map((guess) => [guess.id, guess]));
    this.trials = this.trials.filter(({ id }) => open.delete(id));
    for (const { id, validator, others } of open.values()) {
      this.trials.push({ id, validator, choices: others.length + 1, before: before!, rows });
    }
  }

  private readonly hold: Emit = (table, row) => {
    this.held.push({ table, row } as HoldingsRow);
  };

  private release(): void {
    for (const { table, row } of this.held) this.emit(table, row);
    this.held.length = 0;
    this.state.journal.forget();
    this.decisions.clear();
    this.triesAll = false;
    this.attempts = 0;
    this.furthest = undefined;
  }

  /**
   * Takes the next choice of the latest guess that the error may come from, and the state before its block: one at the
   * validator that the error names, and when all choices there are used up, any. What is redelegated from one validator to
   * another carries a wrong guess along.
   * @throws the error of the highest block that was reached when no choice is left
   */
  goBack(error: HoldingsError): void {
    if (error.height > (this.furthest?.height ?? 0)) this.furthest = error;
    const { validator } = error.difference;
    const isSuspect = (trial: Trial) => this.triesAll || validator === undefined || trial.validator === validator;
    if (this.triesAll && ++this.attempts > ATTEMPTS_MAX) throw this.furthest;
    if (this.tryNext(this.trials.filter(isSuspect))) return;
    const [first] = this.trials;
    if (!first || this.triesAll) throw this.furthest;
    this.triesAll = true;
    this.decisions.clear();
    this.returnTo(first);
  }

  /** @returns false when all choices of the trials are used up */
  private tryNext(trials: readonly Trial[]): boolean {
    for (const trial of [...trials].reverse()) {
      const choice = (this.decisions.get(trial.id) ?? 0) + 1;
      if (choice === trial.choices) {
        this.decisions.delete(trial.id);
        continue;
      }
      // Later decisions rested on the choice that is now disproved.
      for (const id of this.decisions.keys()) if (heightOf(id) > heightOf(trial.id)) this.decisions.delete(id);
      this.decisions.set(trial.id, choice);
      this.returnTo(trial);
      return true;
    }
    return false;
  }

  private returnTo(trial: Trial): void {
    returnToMark(this.state, trial.before);
    this.held.length = trial.rows;
    this.trials = this.trials.slice(0, this.trials.indexOf(trial));
  }

  get isCertain(): boolean {
    return this.trials.length === 0;
  }

  get settled(): number {
    const oldest = this.trials[0];
    return oldest ? heightOf(oldest.id) - 1 : this.state.height;
  }

  checkpoint(): Iterable<string> {
    const [oldest] = this.trials;
    if (oldest) this.returnTo(oldest);
    return serializeState(this.state);
  }
}

/** A guess's id begins with the height of its block. */
const heightOf = (id: string) => Number.parseInt(id, 10);

/** True when the block holds an undelegation that no message explains. */
function mayNeedGuess({ transactions }: FullBlock): boolean {
  return transactions.some(({ code, events, messages }) => {
    if (code !== 0 || !events.some(({ type }) => type === 'unbond')) return false;
    const asked = new TransactionMessages(messages);
    return events.some((event) => {
      if (event.type !== 'unbond') return false;
      // The fold itself tells what is missing, with the place.
      const [delegator, validator] = ['delegator', 'validator'].map((key) => attributeOrNone(event, key) ?? '');
      return asked.askedAmount(event, delegator!.toLowerCase(), validator!.toLowerCase()) === undefined;
    });
  });
}

/**
 * Folds all blocks after the state's height.
 * @param state is changed in place
 * @param emit takes the rows that are final
 * @param reviewed changes that no event tells
 * @param onBlock called after each block with the state, which is not to be changed; again for blocks folded anew
 * @throws HoldingsError when a figure of the chain differs and no guess can be the cause
 */
export async function foldBlocks(
  state: HoldingsState,
  blocksFrom: BlocksFrom,
  emit: Emit,
  reviewed: ReviewedChanges = NOTHING_REVIEWED,
  onBlock: (state: HoldingsState) => void = () => {},
  onCertain: OnCertain = () => undefined,
): Promise<Folded> {
  const folding = new Folding(state, emit, reviewed);
  while (!(await foldAll(folding, blocksFrom(folding.state.height + 1), onBlock, onCertain)));
  const { held: assumed, settled } = folding;
  return { state, assumed, settled, checkpoint: () => folding.checkpoint() };
}

/** @returns whether all of them are folded; else the fold went back to a block that is no longer at hand */
async function foldAll(
  folding: Folding,
  blocks: AsyncIterable<FullBlock> | Iterable<FullBlock>,
  onBlock: (state: HoldingsState) => void,
  onCertain: OnCertain,
): Promise<boolean> {
  /** The last blocks since the oldest open guess, in ascending order. */
  const kept: FullBlock[] = [];
  for await (const block of blocks) {
    if (folding.isCertain) {
      const done = onCertain(folding.state, block);
      if (done) await done;
    }
    kept.push(block);
    if (kept.length > KEPT_BLOCKS_MAX) kept.shift();
    let next: FullBlock | undefined = block;
    while (next) {
      if (foldOne(folding, next)) onBlock(folding.state);
      next = kept.find(({ height }) => height === folding.state.height + 1);
    }
    if (folding.state.height < block.height) return false;
    if (folding.isCertain) kept.length = 0;
  }
  return true;
}

/** @returns false when the block disproved a guess: the fold stands before the block of the guess then */
function foldOne(folding: Folding, block: FullBlock): boolean {
  try {
    folding.fold(block);
    return true;
  } catch (error) {
    if (!(error instanceof HoldingsError)) throw error;
    folding.goBack(error);
    return false;
  }
}
