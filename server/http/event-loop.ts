/**
 * The event loop, shared: long work is done in small steps, and leaves other requests their turn. In each round of the loop one of all
 * that is under way goes on, or several as long as their steps are short, so that a short request waits for about one long step, however
 * many answers are being made.
 */
/** Time that the answers of a round of the event loop may hold it together, as long as their steps are short. */
const HELD_MS_MAX = 2;
/** Connections that are accepted, each in a round of its own, before work goes on. */
const ACCEPTED_MAX = 50;

/** Time since which work holds the event loop; undefined while none does. Pieces of work behind one another share their time. */
let heldSince: number | undefined;
/** Whether this round has accepted a connection, and connections since the last turn of work that waited. */
let isAccepting = false;
let accepted = 0;
/** Whether one of who waited goes on in this round. */
let isGiven = false;

/** Tells whether the work of this round has held the event loop for long enough. */
const isOver = () => heldSince !== undefined && performance.now() - heldSince >= HELD_MS_MAX;

/** Tells whether it is others' turn. */
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
  isGiven = false;
}

/** Work that waits for its turn, the first one first. */
const waiting: (() => void)[] = [];

/** Returns the number of answers that wait for their turn. */
export const turnsWaiting = (): number => waiting.length;

/** Waits for the next turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(giveTurn);
  });
}

/** Leaves others their turn where this one is over: before a step that cannot be cut. */
export async function leaveTurn(): Promise<void> {
  if (isTurnOver()) await nextTurn();
}

/** Lets the first of who waits go on: one in each round, and more of them while those before it in the round were short. */
function giveTurn(): void {
  if (isAccepting || (isGiven && isOver())) {
    setImmediate(giveTurn);
    return;
  }
  if (!isGiven) beginTurn();
  isGiven = true;
  accepted = 0;
  waiting.shift()!();
}

/**
 * Lets the next connection be accepted before work goes on: Node.js accepts one in each round of the event loop, so that thousands, and a
 * balancer's question among them, would else wait for as many turns.
 */
export function acceptFirst(): void {
  if (isAccepting || accepted >= ACCEPTED_MAX) return;
  accepted++;
  isAccepting = true;
  setImmediate(() => {
    isAccepting = false;
  });
}

/** Runs work that stops between its steps to its end without a stop, where it is known to be short. @returns what it returns */
export function atOnce<Result>(work: Iterator<unknown, Result, undefined>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Runs work that stops between its steps to its end, and gives others their turn. @returns what it returns */
export async function inTurns<Result>(work: Iterator<unknown, Result, undefined>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (isTurnOver()) await nextTurn();
  }
}

const BATCH_CHARACTERS = 32 * 1024;

/** Joins texts that are made in many small steps to batches that are worth a write. */
export async function* joinTexts(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string, void> {
  const steps = Symbol.iterator in texts ? texts[Symbol.iterator]() : texts[Symbol.asyncIterator]();
  let batch = '';
  try {
    for (;;) {
      const next = steps.next();
      const step = next instanceof Promise ? await next : next; // to wait for each of a few texts costs more than they do
      if (step.done) break;
      batch += step.value;
      if (batch.length >= BATCH_CHARACTERS) {
        yield batch;
        batch = '';
      }
      if (isTurnOver()) await nextTurn(); // a source that is never waited for would hold the event loop
    }
  } finally {
    await steps.return?.();
  }
  if (batch !== '') yield batch;
}
