/**
 * Cooperative scheduling: long work yields between small steps. In each round of the event loop one task continues,
 * or several if their steps are short. A short request waits for about one long step, however many answers are in
 * progress.
 */
/** Budget of one round, shared by all tasks with short steps. */
const HELD_MS_MAX = 2;
/** Connections accepted, one per round, before work continues. */
const ACCEPTED_MAX = 50;

/** Start of the current work; undefined if none runs. Consecutive tasks share the budget. */
let heldSince: number | undefined;
/** Whether this round accepted a connection; connections since a waiting task last ran. */
let isAccepting = false;
let accepted = 0;
/** Whether a waiting task already ran in this round. */
let hasResumed = false;

const isOver = () => heldSince !== undefined && performance.now() - heldSince >= HELD_MS_MAX;

function isTurnOver(): boolean {
  if (isAccepting) return true;
  if (heldSince !== undefined) return isOver();
  beginTurn();
  return false;
}

function beginTurn(): void {
  heldSince = performance.now();
  setImmediate(endTurn);
}

function endTurn(): void {
  heldSince = undefined;
  hasResumed = false;
}

/** Waiting tasks, in order. */
const waiting: (() => void)[] = [];

export const turnsWaiting = (): number => waiting.length;

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(giveTurn);
  });
}

/** Resumes waiting tasks: one per round, more while the budget lasts. */
function giveTurn(): void {
  if (isAccepting || (hasResumed && isOver())) {
    setImmediate(giveTurn);
    return;
  }
  if (!hasResumed) beginTurn();
  hasResumed = true;
  accepted = 0;
  waiting.shift()!();
}

/**
 * Lets the next connection in first. Node.js accepts one per round: thousands, and health checks of a load balancer,
 * would wait for as many turns.
 */
export function acceptFirst(): void {
  if (isAccepting || accepted >= ACCEPTED_MAX) return;
  accepted++;
  isAccepting = true;
  setImmediate(() => {
    isAccepting = false;
  });
}

/** Runs a short generator without yielding. */
export function atOnce<Result>(work: Iterator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Runs a generator and yields to other requests. */
export async function inTurns<Result>(work: Iterator<unknown, Result, undefined>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (isTurnOver()) await nextTurn();
  }
}

const BATCH_CHARACTERS = 32 * 1024;

/** Joins small texts to batches for writing. */
export async function* joinTexts(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void> {
  const steps = Symbol.iterator in texts ? texts[Symbol.iterator]() : texts[Symbol.asyncIterator]();
  let batch = '';
  try {
    for (;;) {
      const next = steps.next();
      const step = next instanceof Promise ? await next : next; // awaiting each text would cost more than the text
      if (step.done) break;
      batch += step.value;
      if (batch.length >= BATCH_CHARACTERS) {
        yield batch;
        batch = '';
      }
      if (isTurnOver()) await nextTurn(); // a synchronous source would block the event loop
    }
  } finally {
    await steps.return?.();
  }
  if (batch !== '') yield batch;
}
