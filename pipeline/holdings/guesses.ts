/**
 * Guesses about an undelegation by a contract: how many shares it removed. Its event contains only the rounded payment,
 * which fits one or two numbers of shares (choices): docs/decisions/guesses.md. A guess is open while the fold can
 * still return to its block and try the other choice. Until then, its rows are not written. Afterwards the guess is
 * standing, and its rows are written. If a standing guess proves wrong, `explain` folds again from a checkpoint with
 * other choices.
 */
import type { FullBlock } from '../chain/block.js';
import { serializeState } from './checkpoint.js';
import type { Delegation } from './delegations.js';
import { HoldingsError, Mismatch } from './holdings-error.js';
import { sharesFromTokens, tokensFromShares } from './modules/delegation.js';
import type {
  ChoiceOf,
  Choices,
  Emit,
  Guess,
  HoldingsState,
  HoldingsTable,
  HoldingsTables,
  Validator,
} from './state.js';
import { markState, returnToMark, type StateMark } from './state.js';
import { wholePart } from './values/decimal18.js';

export type HoldingsRow = {
  [Table in HoldingsTable]: { readonly table: Table; readonly row: HoldingsTables[Table] };
}[HoldingsTable];

/** Limits for open guesses. Beyond a limit, the oldest guess becomes standing. */
export interface Reach {
  /**
   * Maximum number of blocks from the oldest open guess to the newest block. The next nightly run must fold these
   * blocks again.
   */
  readonly blocks: number;
  readonly changes: number;
  readonly guesses: number;
}

const REACH: Reach = { blocks: 8192, changes: 65_536, guesses: 64 };

interface FoldRules {
  readonly foldBlock: (state: HoldingsState, block: FullBlock, emit: Emit, choiceOf: ChoiceOf) => void;
  readonly mayNeedGuess: (block: FullBlock) => boolean;
}

interface Trial {
  readonly id: string;
  readonly validator: string;
  readonly choices: number;
  readonly before: StateMark;
  readonly rows: number;
}

/**
 * A test of a guess: blocks up to `until` are folded again with its other choice. If an amount then differs, the guess
 * is proved.
 */
interface Proof {
  readonly trial: Trial;
  readonly until: number;
  readonly assumed: Choices;
  readonly proved: ReadonlySet<string>;
}

/** Maximum number of tries of other choices. Enough for all combinations of ten guesses. */
const ATTEMPTS_MAX = 1024;

class GuessingFold {
  private trials: Trial[] = [];
  private triesAll = false;
  private attempts = 0;
  private furthest: HoldingsError | undefined;
  private decisions = new Map<string, number>();
  private readonly standing: Set<string>;
  private proof: Proof | undefined;
  /** Ids of guesses that are proved if the choices of all earlier guesses are right. */
  private proved = new Set<string>();
  /**
   * Ids of guesses that need no proof. Their other choice failed, and no later open guess could have caused the
   * failure.
   */
  private readonly decided = new Set<string>();
  private readonly retries = new Map<string, number>();
  readonly held: HoldingsRow[] = [];
  private emitted = 0;
  private readonly choiceOf: ChoiceOf;

  constructor(
    readonly state: HoldingsState,
    private readonly emit: Emit,
    private readonly rules: FoldRules,
    private readonly reach: Reach,
    fixed: Choices,
  ) {
    this.standing = new Set([...state.guesses.map(({ id }) => id), ...fixed.keys()]);
    this.choiceOf = (id) => fixed.get(id) ?? this.decisions.get(id);
  }

  fold(block: FullBlock): void {
    const before = this.rules.mayNeedGuess(block) ? markState(this.state) : undefined;
    const rows = this.emitted + this.held.length;
    try {
      this.rules.foldBlock(this.state, block, this.collect, this.choiceOf);
    } finally {
      this.updateTrials(before, rows); // also after an error, because a guess in this block may have caused it
    }
    if (this.proof) {
      if (this.state.height === this.proof.until) this.endProof(false);
      return;
    }
    if (!this.isCertain) this.prove();
    if (this.proof) return;
    if (this.isCertain || block.height >= (this.furthest?.height ?? 0)) this.endSearch();
    while (!this.furthest && this.isOutOfReach()) this.acceptOldest();
    this.release();
  }

  private updateTrials(before: StateMark | undefined, rows: number): void {
    if (!before && this.isCertain) return;
    this.state.guesses = this.state.guesses.filter(({ id }) => !this.proved.has(id));
    const open = new Map(this.state.guesses.map((guess) => [guess.id, guess]));
    for (const id of this.standing) open.delete(id);
    this.trials = this.trials.filter(({ id }) => open.delete(id));
    for (const { id, validator, choices } of open.values()) {
      this.trials.push({ id, validator, choices, before: before!, rows });
    }
  }

  private readonly collect: Emit = (table, row) => {
    this.held.push({ table, row } as HoldingsRow);
  };

  private isOutOfReach(): boolean {
    const [oldest] = this.trials;
    if (!oldest) return false;
    const { blocks, changes, guesses } = this.reach;
    if (this.state.height - heightOf(oldest.id) >= blocks || this.trials.length > guesses) return true;
    return this.held.length + this.state.journal.size > changes;
  }

  private acceptOldest(): void {
    const height = heightOf(this.trials[0]!.id);
    while (this.trials[0] && heightOf(this.trials[0].id) === height) this.standing.add(this.trials.shift()!.id);
    this.release();
  }

  /** Emits the rows before the oldest open guess, and drops the undo data for their blocks. */
  private release(): void {
    const [oldest] = this.trials;
    const rows = oldest ? this.held.splice(0, oldest.rows - this.emitted) : this.held.splice(0);
    for (const { table, row } of rows) this.emit(table, row);
    this.emitted += rows.length;
    if (oldest) this.state.journal.forgetBefore(oldest.before.journal);
    else this.state.journal.forget();
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
    const other = 1 - (this.decisions.get(trial.id) ?? 0);
    this.dropNotes(heightOf(trial.id));
    this.decisions.set(trial.id, other);
    this.returnTo(trial);
  }

  private dropNotes(from: number): void {
    for (const notes of [this.decisions, this.proved, this.decided]) {
      for (const id of notes.keys()) if (heightOf(id) >= from) notes.delete(id);
    }
  }

  /** Removes a decided guess, also from the states saved for later guesses. */
  private close({ id }: Trial): void {
    this.trials = this.trials.filter((trial) => trial.id !== id);
    for (const state of [this.state, ...this.trials.map(({ before }) => before.rest)]) {
      state.guesses = state.guesses!.filter((guess) => guess.id !== id);
    }
  }

  /**
   * Ends a proof and restores the earlier choices. If the proof failed, the guess is tested again after twice as many
   * blocks.
   */
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

  private goBackInProof({ trial }: Proof): void {
    const later = this.trials.filter(({ id }) => id !== trial.id && heightOf(id) >= heightOf(trial.id));
    if (++this.attempts > ATTEMPTS_MAX) this.endProof(false);
    else if (!this.tryNext(later)) this.endProof(true);
  }

  /**
   * Tries the next choice of an open guess about the error's validator, latest guess first. If no choice fits, tries
   * all open guesses, because redelegations carry wrong shares to other validators.
   * @throws the error at the highest block if no choice is left
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

  private tryNext(trials: readonly Trial[]): boolean {
    for (const trial of [...trials].reverse()) {
      const choice = (this.decisions.get(trial.id) ?? 0) + 1;
      if (choice === trial.choices) {
        this.decisions.delete(trial.id);
        continue;
      }
      this.dropNotes(heightOf(trial.id) + 1);
      this.decisions.set(trial.id, choice);
      this.returnTo(trial);
      return true;
    }
    return false;
  }

  private returnTo(trial: Trial): void {
    returnToMark(this.state, trial.before);
    this.held.length = trial.rows - this.emitted;
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

const heightOf = (id: string) => Number.parseInt(id, 10);

export type BlocksFrom = (height: number) => AsyncIterable<FullBlock> | Iterable<FullBlock>;

/** Called before a block if no guess is open. */
export type OnCertain = (state: HoldingsState, next: FullBlock) => Promise<void> | undefined;

export interface Folded {
  readonly state: HoldingsState;
  readonly assumed: readonly HoldingsRow[];
  readonly settled: number;
  /**
   * Serializes the state at `settled`, the last height whose rows are all written. This must be the last call, because
   * it rewinds
   * `state`.
   */
  checkpoint(): Iterable<string>;
}

export interface FoldOptions {
  readonly onBlock?: (state: HoldingsState) => void;
  readonly onCertain?: OnCertain;
  readonly reach?: Reach | undefined;
  readonly fixed?: Choices;
}

const NONE: Choices = new Map();

/** Number of blocks cached while a guess is open. Most wrong choices fail soon, so the fold seldom returns further. */
const KEPT_BLOCKS_MAX = 64;

export async function foldWithGuesses(
  rules: FoldRules,
  state: HoldingsState,
  blocksFrom: BlocksFrom,
  emit: Emit,
  options: FoldOptions = {},
): Promise<Folded> {
  const { reach = REACH, fixed = NONE } = options;
  const { onBlock = () => {}, onCertain = () => undefined } = options;
  const folding = new GuessingFold(state, emit, rules, reach, fixed);
  while (!(await foldAll(folding, blocksFrom(folding.state.height + 1), onBlock, onCertain)));
  const { held: assumed, settled } = folding;
  return { state, assumed, settled, checkpoint: () => folding.checkpoint() };
}

/** @returns false if the fold returned to a block that is no longer cached */
async function foldAll(
  folding: GuessingFold,
  blocks: AsyncIterable<FullBlock> | Iterable<FullBlock>,
  onBlock: (state: HoldingsState) => void,
  onCertain: OnCertain,
): Promise<boolean> {
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

function foldOne(folding: GuessingFold, block: FullBlock): boolean {
  try {
    folding.fold(block);
    return folding.state.height === block.height;
  } catch (error) {
    if (!(error instanceof HoldingsError)) throw error;
    folding.goBack(error);
    return false;
  }
}

/** Minimum number of folds that `explain` may try. Each standing guess about the error's validator adds one more. */
const FOLDS_MIN = 31;
const FOLDS_MAX = 1024;
const BLOCKS_MAX = 1_000_000;

interface Explanation {
  readonly choices: Choices;
  readonly from: number;
}

export interface Tried {
  readonly difference: HoldingsError | undefined;
  readonly blocks: number;
}

/**
 * Searches for choices of standing guesses that make the error disappear.
 * @param fold folds from a checkpoint to the error's block
 */
export async function explain(
  error: HoldingsError,
  fold: (explanation: Explanation) => Promise<Tried>,
): Promise<Explanation | undefined> {
  const assumed = choicesOf(error.standing);
  const tried = new Set<string>();
  const least = FOLDS_MIN + error.standing.filter(isAt(error)).length;
  let blocks = 0;
  const differences = [error];
  for (const difference of differences) {
    for (const choices of difference === error ? firstChoices(error) : otherChoices(difference)) {
      const changed = [...choices.keys()].filter((id) => choices.get(id) !== assumed.get(id));
      if (changed.length === 0 || tried.has(textOf(choices))) continue;
      if (tried.size >= least && (tried.size >= FOLDS_MAX || blocks >= BLOCKS_MAX)) return undefined;
      tried.add(textOf(choices));
      const explanation = { choices, from: Math.min(...changed.map(heightOf)) };
      const outcome = await fold(explanation);
      if (!outcome.difference) return explanation;
      differences.push(outcome.difference); // standing guesses about the new error's validator are tried too
      blocks += outcome.blocks;
    }
  }
  return undefined;
}

const choicesOf = (standing: readonly Guess[]): Map<string, number> =>
  new Map(standing.map(({ id, choice }) => [id, choice]));

const textOf = (choices: Choices) => JSON.stringify([...choices].sort());

const isAt =
  ({ difference }: HoldingsError) =>
  ({ validator }: Guess) =>
    validator === difference.validator;

const COUNTED_MAX = 5;

function* firstChoices(error: HoldingsError): Generator<Choices> {
  const counted = [...error.standing].reverse().filter(isAt(error)).slice(0, COUNTED_MAX);
  const choices = choicesOf(error.standing);
  for (let i = 1; i < counted.reduce((product, guess) => product * guess.choices, 1); i++) {
    for (const { id, choices: count } of counted) {
      const next = (choices.get(id)! + 1) % count;
      choices.set(id, next);
      if (next > 0) break;
    }
    yield new Map(choices);
  }
  yield* otherChoices(error);
}

/**
 * Yields further choices, most likely first. A wrong guess shifts the computed amount by about one share. So the latest
 * guess is changed first, then the latest two and so on, then each guess alone.
 */
function* otherChoices(error: HoldingsError): Generator<Choices> {
  const latest = [...error.standing].reverse();
  const [here, elsewhere] = [true, false].map((isHere) => latest.filter((guess) => isAt(error)(guess) === isHere));
  const choices = choicesOf(error.standing);
  for (const { id, choice, choices: count } of here!) {
    if (choice + 1 === count) continue;
    choices.set(id, choice + 1);
    yield new Map(choices);
  }
  for (const { id, choice, choices: count } of [...here!, ...elsewhere!]) {
    yield choicesOf(error.standing).set(id, (choice + 1) % count);
  }
}

/**
 * Lists the numbers of shares that the undelegation may have removed. The payment is the requested amount or 1 less.
 * The chain refuses requests for 0 (msgServer.Undelegate) or for more shares than the wallet has
 * (ValidateUnbondAmount).
 */
function fittingShares(validator: Validator, delegation: Delegation, paid: bigint): bigint[] {
  const amounts = [paid + 1n, paid].filter((requested) => requested > 0n);
  const shares = amounts.map((requested) => sharesFromTokens(validator, requested));
  return [...new Set(shares)].filter((candidate) => {
    if (candidate > delegation.shares) return false;
    const isLast = candidate === validator.shares;
    return (isLast ? validator.tokens : wholePart(tokensFromShares(candidate, validator))) === paid;
  });
}

/**
 * Returns the number of shares that an undelegation removed. If several numbers fit the payment, adds a guess to the
 * state.
 * @param id the same each time the block is folded
 * @throws Mismatch if no number fits the payment
 */
export function guessShares(
  state: HoldingsState,
  validator: Validator,
  delegation: Delegation,
  { id, paid }: { id: string; paid: bigint },
  choiceOf: ChoiceOf,
): bigint {
  const fitting = fittingShares(validator, delegation, paid);
  const choices = fitting.length;
  const choice = choices > 1 ? (choiceOf(id) ?? 0) : 0;
  const chosen = fitting[choice];
  if (chosen === undefined) {
    const what = 'undelegation by a contract';
    throw new Mismatch({ what, validator: validator.operator, expected: `${paid} paid`, found: 'no fitting amount' });
  }
  if (choices > 1) state.guesses.push({ id, validator: validator.operator, choice, choices, hasEvidence: false });
  return chosen;
}

/**
 * Marks a validator's guesses as testable. A delegation after a guess shows which choice is right, because its shares
 * depend on the choice.
 */
export function addEvidence(state: HoldingsState, operator: string): void {
  const isHere = ({ validator }: Guess) => validator === operator;
  if (!state.guesses.some(isHere)) return;
  state.guesses = state.guesses.map((guess) => (isHere(guess) ? { ...guess, hasEvidence: true } : guess));
}
