/**
 * Asks nodes for the wallets' states after the last block before each edge, and stores them. A later run asks again for
 * a state that no node had, that only one host reported, or that the rows contradict.
 */
import { edgesBetween, type Period } from '../base/values/edges.js';
import { BlockError } from '../chain/block-error.js';
import type { CheckedSource } from '../chain/cross-check.js';
import { instantText, parseTime } from '../holdings/values/time.js';
import type { StepContext } from '../night/night.js';
import { type EdgeBlock, type EdgeRecord, type EdgeState, type EdgeStates, heldState } from './edge-states.js';
import type { Nodes } from './end-states.js';

/** A block with its time in nanoseconds since 1970. */
interface Moment {
  readonly height: number;
  readonly time: bigint;
}

interface Ends {
  readonly first: number;
  readonly last: number;
  /** Lowest height that a node has. */
  readonly earliest: number;
}

/** Returns the time of a block in nanoseconds since 1970; undefined if the block is unknown. */
type TimeOf = (height: number) => Promise<bigint | undefined>;

type Context = Pick<StepContext, 'config' | 'reference' | 'progress' | 'signal'>;

/**
 * Takes the states of all edges in the index that are not stored yet, the latest edge first.
 * @param storedTime knows the times of stored blocks
 * @returns heights of the blocks around each edge
 */
export async function takeEdgeStates(
  states: EdgeStates,
  nodes: Nodes,
  ends: Ends,
  storedTime: TimeOf,
  context: Context,
): Promise<number[]> {
  const timeOf: TimeOf = async (height) => (await storedTime(height)) ?? headerTime(nodes.source, height);
  const [after, until] = [await timeOf(ends.first), await timeOf(ends.last)];
  if (after === undefined || until === undefined) return [];
  const late = new Set<bigint>();
  const heights = new Set<number>();
  for (const edge of edgesWithin({ after, until }, states, context).reverse()) {
    context.signal.throwIfAborted();
    const block = states.before(edge) ?? (await lastBefore(edge, { ...ends, until }, timeOf));
    const record = block && states.addEdge(block, edge);
    if (record) heights.add(record.height).add(record.height + 1);
    if (!record || !(await takeWallets(edge, record, states, nodes, context))) late.add(edge);
  }
  sayLate(late, context);
  return [...heights];
}

/** Returns undefined if no node has the block. */
async function headerTime(source: CheckedSource, height: number): Promise<bigint | undefined> {
  try {
    return parseTime((await source.header(height)).time);
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    return undefined;
  }
}

/** Returns the edges of tax years, of the configuration, and those that an earlier run has recorded. */
function edgesWithin(period: Period, states: EdgeStates, { config, reference }: Context): bigint[] {
  const recorded = states.list().flatMap(({ edges }) => edges.map(parseTime));
  return edgesBetween(reference.countries, [...config.edges, ...recorded], period).map(({ at }) => at);
}

/** After this many guesses, the search halves the range, because block times are then too irregular for guesses. */
const GUESSES = 8;

/**
 * Finds the last block before an edge.
 * @param ends range of the search; `until` is the time of its last block
 * @returns undefined if no node has a block of the search
 */
async function lastBefore(
  edge: bigint,
  { first, earliest, last, until }: Ends & { readonly until: bigint },
  timeOf: TimeOf,
): Promise<Omit<EdgeBlock, 'edges'> | undefined> {
  const start = Math.max(first, earliest);
  const startTime = await timeOf(start);
  if (startTime === undefined || startTime >= edge) return undefined;
  let low: Moment = { height: start, time: startTime };
  let high: Moment = { height: last, time: until };
  for (let guesses = 0; high.height - low.height > 1; guesses++) {
    const distance = BigInt(high.height - low.height);
    const part = guesses < GUESSES ? ((edge - low.time) * distance) / (high.time - low.time) : distance / 2n;
    const height = Math.min(Math.max(low.height + Number(part), low.height + 1), high.height - 1);
    const time = await timeOf(height);
    if (time === undefined) return undefined;
    if (time < edge) low = { height, time };
    else high = { height, time };
  }
  return { height: low.height, time: instantText(low.time), nextTime: instantText(high.time) };
}

const isOpen = (state: EdgeState | undefined) => !state?.isConfirmed || state.isDoubted;

/** @returns false if a wallet has no state, and no node has it any more */
async function takeWallets(
  edge: bigint,
  { height, wallets: known }: EdgeRecord,
  states: EdgeStates,
  { state: nodeStates }: Nodes,
  { config, progress }: Context,
): Promise<boolean> {
  const taken = new Map<string, EdgeState>();
  const at = instantText(edge);
  let isLate = false;
  for (const address of config.wallets!.filter((one) => isOpen(known.get(one)))) {
    const state = await nodeStates.wallet(address, height);
    if (!state) {
      isLate = config.wallets!.some((one) => !known.has(one) && !taken.has(one));
      break;
    }
    const { isConfirmed, differing } = await nodeStates.check(address, height, state);
    if (differing.length > 0) {
      progress.say(
        `${address}: its state before ${at} is not stored, because that of ${differing.join(', ')} differs: remove the node that is wrong`,
        { address, height },
      );
      if (known.get(address)?.isConfirmed === false) states.drop(height, address);
      continue;
    }
    if (!isConfirmed && known.has(address)) continue;
    taken.set(address, { ...heldState(state), isConfirmed, isDoubted: false });
  }
  if (taken.size > 0) {
    states.saveWallets(height, taken);
    const single = [...taken.values()].some((state) => !state.isConfirmed) ? ", on one node's word" : '';
    const wallets = taken.size === 1 ? '1 wallet' : `${taken.size} wallets`;
    progress.say(`the state of ${wallets} before ${at} is stored (block ${height}${single})`, { height });
  }
  return !isLate;
}

const SHOWN = 5;

function sayLate(late: ReadonlySet<bigint>, { progress }: Context): void {
  if (late.size === 0) return;
  const named = [...late].slice(0, SHOWN).map(instantText).join(', ');
  const more = late.size > SHOWN ? ` and ${late.size - SHOWN} other edges` : '';
  progress.say(`unclaimed rewards at ${named}${more} stay unknown: no node has the state before them any more`);
}
