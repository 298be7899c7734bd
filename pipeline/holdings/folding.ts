/**
 * The fold with guesses. One choice is assumed and folded on. When a figure of the chain disproves it, the fold goes back to the block
 * of the guess and takes another. It is proved when all others, folded as far, are disproved: then what it says is final.
 */
import type { FullBlock } from '../chain/block.js';
import { serializeState } from './checkpoint.js';
import { foldBlock } from './fold-state.js';
import type { HoldingsError } from './holdings-error.js';
import { attributeOrNone } from './rules/event-walk.js';
import { TransactionMessages } from './rules/messages.js';
import type { Emit, HoldingsState, HoldingsTable, HoldingsTables } from './state.js';
import type { ReviewedChanges } from './state-changes.js';
import { markState, returnToMark, type StateMark } from './state-mark.js';

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

/** The oldest guess on trial: its other choice is folded to the block that the assumed one has reached. */
interface Proof {
  readonly trial: Trial;
  readonly until: number;
  /** Decisions as assumed, to return to. */
  readonly assumed: ReadonlyMap<string, number>;
}

/** Attempts at a figure, for all choices of ten guesses: one that more of them do not explain is not the chain's. */
const ATTEMPTS_MAX = 1024;

export class Folding {
  private trials: Trial[] = [];
  /** True while every guess is suspect, from the oldest on, until none is open; `attempts` counts those taken back since. */
  private triesAll = false;
  private attempts = 0;
  /** The difference at the highest block since the oldest open guess: what no choice explains is told by it. */
  private furthest: HoldingsError | undefined;
  private decisions = new Map<string, number>();
  private proof: Proof | undefined;
  private readonly proved = new Set<string>();
  /** Guesses whose other choice was disproved while no other guess was open. */
  private readonly decided = new Set<string>();
  /** Heights from which guesses are to be tried again that could not be proved, by guess. */
  private readonly retries = new Map<string, number>();
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
    if (this.proof) {
      if (this.state.height === this.proof.until) this.endProof(false);
    } else if (!this.isCertain) this.prove();
    if (this.isCertain && this.state.height === block.height) this.release();
  }

  private keepTrials(before: StateMark | undefined, rows: number): void {
    this.state.guesses = this.state.guesses.filter(({ id }) => !this.proved.has(id));
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
    // Decisions about blocks to come are those of a fold that went back.
    for (const id of this.decisions.keys()) if (heightOf(id) <= this.state.height) this.decisions.delete(id);
    for (const notes of [this.proved, this.decided, this.retries]) notes.clear();
    this.triesAll = false;
    this.attempts = 0;
    this.furthest = undefined;
  }

  /** Proves the oldest guess if the blocks since may have told its choices apart. */
  private prove(): void {
    const [trial] = this.trials;
    const guess = this.state.guesses.find(({ id }) => id === trial?.id);
    if (!trial || !guess?.hasEvidence || this.state.height < (this.retries.get(trial.id) ?? 0)) return;
    if (this.decided.has(trial.id)) {
      this.close(trial);
      if (!this.isCertain) this.prove();
      return;
    }
    this.proof = { trial, until: this.state.height, assumed: new Map(this.decisions) };
    this.attempts = 0;
    const other = 1 - (this.decisions.get(trial.id) ?? 0); // of two: what was paid, and one more
    for (const id of this.decisions.keys()) if (!this.proved.has(id)) this.decisions.delete(id);
    this.decisions.set(trial.id, other);
    this.returnTo(trial);
  }

  private close({ id }: Trial): void {
    this.proved.add(id);
    this.trials = this.trials.filter((trial) => trial.id !== id);
    this.state.guesses = this.state.guesses.filter((guess) => guess.id !== id);
  }

  /** Returns to what is assumed. A guess that could not be proved is tried again when twice as many blocks tell of it. */
  private endProof(isProved: boolean): void {
    const { trial, until, assumed } = this.proof!;
    this.proof = undefined;
    this.attempts = 0;
    if (isProved) this.proved.add(trial.id);
    else this.retries.set(trial.id, 2 * until - heightOf(trial.id) + 1);
    this.decisions = new Map(assumed);
    this.returnTo(trial);
  }

  /** A block disproved the other choice of the guess on trial, with the choices of later guesses that are taken now. */
  private goBackInProof({ trial }: Proof): void {
    const later = this.trials.filter(({ id }) => id !== trial.id);
    if (++this.attempts > ATTEMPTS_MAX) this.endProof(false);
    else if (!this.tryNext(later)) this.endProof(true);
  }

  /**
   * Takes the next choice of the latest guess that the error may come from, and the state before its block: one at the
   * validator that the error names, and when all choices there are used up, any. What is redelegated from one validator to
   * another carries a wrong guess along.
   * @throws the error of the highest block that was reached when no choice is left
   */
  goBack(error: HoldingsError): void {
    if (this.proof) {
      this.goBackInProof(this.proof);
      return;
    }
    if (error.height > (this.furthest?.height ?? 0)) this.furthest = error;
    const [first] = this.trials;
    if (first && this.trials.length === 1) this.decided.add(first.id);
    const { validator } = error.difference;
    const isSuspect = (trial: Trial) => this.triesAll || validator === undefined || trial.validator === validator;
    if (this.triesAll && ++this.attempts > ATTEMPTS_MAX) throw this.furthest;
    if (this.tryNext(this.trials.filter(isSuspect))) return;
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
const heightOf = (id: string) => Number.parseInt(id, 10);

/** True when the block holds an undelegation that no message explains: a contract's, or what a passed proposal ran. */
function mayNeedGuess({ events: own, transactions }: FullBlock): boolean {
  if (own.some(({ type }) => type === 'unbond')) return true;
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
