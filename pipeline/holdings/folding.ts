/**
 * The fold with guesses. One choice is assumed and folded on. When a figure of the chain disproves it, the fold goes back to the block
 * of the guess and takes another. It is proved when all others, folded as far, are disproved: then what it says is final. A guess
 * that is neither after many blocks stands: the fold goes on as if it were proved, and does not go back behind it by itself any more.
 */
import type { FullBlock } from '../chain/block.js';
import { serializeState } from './checkpoint.js';
import { type FoldInputs, foldBlock } from './fold-state.js';
import type { HoldingsError } from './holdings-error.js';
import { mayNeedGuess } from './rules/may-need-guess.js';
import type { Emit, HoldingsState, HoldingsTable, HoldingsTables } from './state.js';
import type { ReviewedChanges } from './state-changes.js';
import { markState, returnToMark, type StateMark } from './state-mark.js';

export type HoldingsRow = {
  [Table in HoldingsTable]: { readonly table: Table; readonly row: HoldingsTables[Table] };
}[HoldingsTable];

/** Bounds of what is kept to go back to guesses: beyond any of them the oldest guess stands. */
export interface Reach {
  /** Blocks since the oldest guess, which the next night folds again. */
  readonly blocks: number;
  /** Rows held back, and changes of the state, since the oldest guess: with rewards in 20 denoms about 100 MiB. */
  readonly changes: number;
  /** Guesses, each with a copy of the validators without their delegations. */
  readonly guesses: number;
}

export const REACH: Reach = { blocks: 8192, changes: 65_536, guesses: 64 };

/** A guess that is neither proved nor disproved, and does not stand yet. */
interface Trial {
  readonly id: string;
  readonly validator: string;
  readonly choices: number;
  /** The state before its block, and how many rows there were then. */
  readonly before: StateMark;
  readonly rows: number;
}

/** A proof under way: the other choice of a guess is folded to the block that the assumed one has reached. */
interface Proof {
  readonly trial: Trial;
  readonly until: number;
  /** Decisions as assumed, and what was proved under them, to return to. */
  readonly assumed: ReadonlyMap<string, number>;
  readonly proved: ReadonlySet<string>;
}

/** Attempts at a figure, for all choices of ten guesses: one that more of them do not explain is not the chain's. */
const ATTEMPTS_MAX = 1024;

export class Folding {
  private trials: Trial[] = [];
  /** True while every guess is suspect, from the oldest on, until the difference is explained; `attempts` counts those taken back since. */
  private triesAll = false;
  private attempts = 0;
  /** The difference under search at the highest block: what no choice explains is told by it. */
  private furthest: HoldingsError | undefined;
  private decisions = new Map<string, number>();
  /** Guesses whose choice is not to be changed here. */
  private readonly standing: Set<string>;
  private proof: Proof | undefined;
  /** Guesses that are proved with the choices of those before them, and whose blocks may be folded again. */
  private proved = new Set<string>();
  /** Guesses whose other choice was disproved, with the choices of those before them, while no later one was open. */
  private readonly decided = new Set<string>();
  /** Heights from which guesses are to be tried again that could not be proved, by guess. */
  private readonly retries = new Map<string, number>();
  readonly held: HoldingsRow[] = [];
  /** Number of rows that were held, and are handed out. */
  private handedOut = 0;
  private readonly inputs: FoldInputs;

  /** @param fixed choices of guesses to come that stand from the first */
  constructor(
    readonly state: HoldingsState,
    private readonly emit: Emit,
    reviewed: ReviewedChanges,
    private readonly reach: Reach,
    fixed: ReadonlyMap<string, number>,
  ) {
    this.standing = new Set([...state.guesses.map(({ id }) => id), ...fixed.keys()]);
    this.inputs = { ...reviewed, decisions: { get: (id) => fixed.get(id) ?? this.decisions.get(id) } };
  }

  fold(block: FullBlock): void {
    const before = mayNeedGuess(block) ? markState(this.state) : undefined;
    const rows = this.handedOut + this.held.length;
    try {
      foldBlock(this.state, block, this.hold, this.inputs);
    } finally {
      this.keepTrials(before, rows); // a guess may be disproved by its own block
    }
    if (this.proof) {
      if (this.state.height === this.proof.until) this.endProof(false);
      return;
    }
    if (!this.isCertain) this.prove();
    if (this.proof) return;
    if (this.isCertain || block.height >= (this.furthest?.height ?? 0)) this.endSearch();
    while (!this.furthest && this.isOutOfReach()) this.letStand();
    this.release();
  }

  private keepTrials(before: StateMark | undefined, rows: number): void {
    if (!before && this.isCertain) return;
    this.state.guesses = this.state.guesses.filter(({ id }) => !this.proved.has(id));
    const open = new Map(this.state.guesses.map((guess) => [guess.id, guess]));
    for (const id of this.standing) open.delete(id);
    this.trials = this.trials.filter(({ id }) => open.delete(id));
    for (const { id, validator, choices } of open.values()) {
      this.trials.push({ id, validator, choices, before: before!, rows });
    }
  }

  private readonly hold: Emit = (table, row) => {
    this.held.push({ table, row } as HoldingsRow);
  };

  private isOutOfReach(): boolean {
    const [oldest] = this.trials;
    if (!oldest) return false;
    const { blocks, changes, guesses } = this.reach;
    if (this.state.height - heightOf(oldest.id) >= blocks || this.trials.length > guesses) return true;
    return this.held.length + this.state.journal.size > changes;
  }

  /** Lets the guesses of the oldest one's block stand as they are assumed. */
  private letStand(): void {
    const height = heightOf(this.trials[0]!.id);
    while (this.trials[0] && heightOf(this.trials[0].id) === height) this.standing.add(this.trials.shift()!.id);
    this.release();
  }

  /** Hands out the rows before the oldest trial, and forgets what would take the fold back behind it. */
  private release(): void {
    const [oldest] = this.trials;
    const rows = oldest ? this.held.splice(0, oldest.rows - this.handedOut) : this.held.splice(0);
    for (const { table, row } of rows) this.emit(table, row);
    this.handedOut += rows.length;
    if (oldest) this.state.journal.forgetBefore(oldest.before.journal);
    else this.state.journal.forget();
    // Notes about blocks to come are those of a fold that went back.
    const { settled } = this;
    for (const notes of [this.decisions, this.proved, this.decided, this.retries]) {
      for (const id of notes.keys()) if (heightOf(id) <= settled) notes.delete(id);
    }
  }

  private endSearch(): void {
    this.triesAll = false;
    this.attempts = 0;
    this.furthest = undefined;
  }

  /** Proves the oldest guess about which the blocks since may tell. It is proved with the choices of those before it as they are assumed. */
  private prove(): void {
    const { height, guesses } = this.state;
    const isDue = (id: string) => !this.standing.has(id) && height >= (this.retries.get(id) ?? 0);
    const guess = guesses.find(({ id, hasEvidence }) => hasEvidence && isDue(id));
    const trial = this.trials.find(({ id }) => id === guess?.id);
    if (!trial) return;
    if (this.decided.has(trial.id)) {
      this.close(trial);
      this.prove();
      return;
    }
    this.proof = { trial, until: height, assumed: new Map(this.decisions), proved: new Set(this.proved) };
    this.attempts = 0;
    const other = 1 - (this.decisions.get(trial.id) ?? 0); // of two: what was paid, and one more
    this.dropNotes(heightOf(trial.id));
    this.decisions.set(trial.id, other);
    this.returnTo(trial);
  }

  /** Drops what is known of the guesses from a height on. */
  private dropNotes(from: number): void {
    for (const notes of [this.decisions, this.proved, this.decided]) {
      for (const id of notes.keys()) if (heightOf(id) >= from) notes.delete(id);
    }
  }

  /** Ends a trial: the marks of later ones do not bring its guess back. */
  private close({ id }: Trial): void {
    this.trials = this.trials.filter((trial) => trial.id !== id);
    for (const state of [this.state, ...this.trials.map(({ before }) => before.rest)]) {
      state.guesses = state.guesses!.filter((guess) => guess.id !== id);
    }
  }

  /** Returns to what is assumed. A guess that could not be proved is tried again when twice as many blocks tell of it. */
  private endProof(isProved: boolean): void {
    const { trial, until, assumed, proved } = this.proof!;
    this.proof = undefined;
    this.attempts = 0;
    this.decisions = new Map(assumed);
    this.proved = new Set(proved);
    if (isProved) this.proved.add(trial.id);
    else this.retries.set(trial.id, 2 * until - heightOf(trial.id) + 1);
    this.returnTo(trial);
  }

  /** A block disproved the other choice of the guess on trial, with the choices of later guesses that are taken now. */
  private goBackInProof({ trial }: Proof): void {
    const later = this.trials.filter(({ id }) => id !== trial.id && heightOf(id) >= heightOf(trial.id));
    if (++this.attempts > ATTEMPTS_MAX) this.endProof(false);
    else if (!this.tryNext(later)) this.endProof(true);
  }

  /**
   * Takes the next choice of the latest guess that the error may come from, and the state before its block: one at the
   * validator that the error names, and when all choices there are used up, any. What is redelegated from one validator to
   * another carries a wrong guess along.
   * @throws the error of the highest block that was reached when no choice is left, with the guesses that stand
   */
  goBack(error: HoldingsError): void {
    if (this.proof) {
      this.goBackInProof(this.proof);
      return;
    }
    if (error.height > (this.furthest?.height ?? 0)) this.furthest = error;
    const [first] = this.trials;
    const [last, previous] = [...this.trials].reverse();
    if (last && (!previous || heightOf(previous.id) < heightOf(last.id))) this.decided.add(last.id);
    const { validator } = error.difference;
    const isSuspect = (trial: Trial) => this.triesAll || validator === undefined || trial.validator === validator;
    if (this.triesAll && ++this.attempts > ATTEMPTS_MAX) throw this.unexplained();
    if (this.tryNext(this.trials.filter(isSuspect))) return;
    if (!first || this.triesAll) throw this.unexplained();
    this.triesAll = true;
    this.dropNotes(0);
    this.returnTo(first);
  }

  private unexplained(): HoldingsError {
    const error = this.furthest!;
    error.standing = this.state.guesses.filter(({ id }) => this.standing.has(id));
    return error;
  }

  /** @returns false when all choices of the trials are used up */
  private tryNext(trials: readonly Trial[]): boolean {
    for (const trial of [...trials].reverse()) {
      const choice = (this.decisions.get(trial.id) ?? 0) + 1;
      if (choice === trial.choices) {
        this.decisions.delete(trial.id);
        continue;
      }
      this.dropNotes(heightOf(trial.id) + 1); // they rested on the choice that is now disproved
      this.decisions.set(trial.id, choice);
      this.returnTo(trial);
      return true;
    }
    return false;
  }

  private returnTo(trial: Trial): void {
    returnToMark(this.state, trial.before);
    this.held.length = trial.rows - this.handedOut;
    this.trials = this.trials.filter(({ id }) => heightOf(id) < heightOf(trial.id));
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
export const heightOf = (id: string) => Number.parseInt(id, 10);
