/**
 * The fold: computes holdings block by block. Applies each block to the state exactly as the chain does, and compares
 * every computed amount that the block contains.
 */
import { type ChainEventRecord, type FullBlock, type Message, modeOf, type Transaction } from '../chain/block.js';
import { expectDailySums, expectSums } from './check-sums.js';
import { type BlocksFrom, type Folded, type FoldOptions, foldWithGuesses } from './guesses.js';
import { expectEqual, HoldingsError, Mismatch } from './holdings-error.js';
import { emitDay, emitEdge, emitRates } from './modules/stake-rows.js';
import { endBlockValidators } from './modules/validator.js';
import { chainRules } from './rules/chain-events.js';
import { consumerRules, expectNothingBurned } from './rules/consumer-slashes.js';
import { attributeOrNone, claimEarlier, type EventRule, type Walk } from './rules/event-walk.js';
import { TransactionMessages } from './rules/messages.js';
import { proposalRules } from './rules/proposals.js';
import { stakingRules } from './rules/staking-events.js';
import type { BlockContext, ChoiceOf, Emit, HoldingsState } from './state.js';
import { applyReviewed, type ReviewedChanges } from './state-changes.js';
import { nanosOf, parseTime } from './values/time.js';

const RULES: ReadonlyMap<string, EventRule> = new Map(
  Object.entries({ ...chainRules, ...proposalRules, ...stakingRules, ...consumerRules }),
);

/**
 * Events that x/staking emits at EndBlock after electing validators. So the fold elects validators before it applies
 * these events.
 */
const COMPLETIONS = new Set(['complete_unbonding', 'complete_redelegation']);

const NOTHING_REVIEWED: ReviewedChanges = { upgrades: [], corrections: [] };
const NO_EDGES: HasEdge = () => false;

interface FoldInputs extends Partial<ReviewedChanges> {
  /** Returns the choice for each guess (guesses.ts). Default: 0, the first choice. */
  readonly choiceOf?: ChoiceOf;
  readonly hasEdge?: HasEdge;
}

/** Returns true if there is an edge (an instant at which unclaimed rewards are kept) in a period. */
type HasEdge = (period: { readonly after: bigint; readonly until: bigint }) => boolean;

interface BlocksOptions extends FoldOptions {
  readonly reviewed?: ReviewedChanges;
  readonly hasEdge?: HasEdge | undefined;
}

/**
 * Folds all blocks after the state's height, and changes the state in place.
 * @throws HoldingsError if an amount differs with every choice for open guesses
 */
export function foldBlocks(
  state: HoldingsState,
  blocksFrom: BlocksFrom,
  emit: Emit,
  { reviewed = NOTHING_REVIEWED, hasEdge = NO_EDGES, ...options }: BlocksOptions = {},
): Promise<Folded> {
  const rules = {
    mayNeedGuess,
    foldBlock: (at: HoldingsState, block: FullBlock, collect: Emit, choiceOf: ChoiceOf) =>
      foldBlock(at, block, collect, { ...reviewed, choiceOf, hasEdge }),
  };
  return foldWithGuesses(rules, state, blocksFrom, emit, options);
}

/**
 * Applies the next block and changes the state in place. After an error the state is unusable.
 * @throws HoldingsError if an amount differs from the block's events, or is unreadable
 */
export function foldBlock(
  state: HoldingsState,
  block: FullBlock,
  emit: Emit,
  { choiceOf = () => undefined, hasEdge = NO_EDGES, ...reviewed }: FoldInputs = {},
): void {
  let place: string | Transaction = 'the block';
  const { upgradePlan } = state;
  try {
    expectEqual(String(block.height), String(state.height + 1), { what: 'height' });
    const { height, doubleSigns } = block;
    const [day, time] = [block.time.slice(0, 10), parseTime(block.time)];
    if (state.day !== '' && state.day !== day) closeDay(state, emit);
    else if (state.day !== '' && hasEdge({ after: state.time, until: time })) emitEdge(state, emit);
    const context: BlockContext = {
      state,
      height,
      time,
      emit,
      doubleSigns,
      withdrawals: [],
      burned: [],
      ratesBefore: new Map(),
      moved: false,
    };
    place = 'PreBlock';
    applyReviewed(context, block.events, reviewed);
    place = 'BeginBlock';
    const end = endBlockIndex(block.events);
    walkEvents(block.events, beginWalk(context, place, choiceOf), 0, end);
    for (const transaction of block.transactions) {
      place = transaction;
      if (transaction.code === 0) foldTransaction(context, transaction, choiceOf);
    }
    place = 'EndBlock';
    foldEndBlock(context, block, end, choiceOf);
    expectSums(context);
    emitRates(context);
    emit('block_nanos', { height, nanos: nanosOf(context.time) });
    Object.assign(state, { height, time: context.time, day });
  } catch (error) {
    const { difference, message } = error instanceof Mismatch ? error : unreadable(error as Error);
    const name = typeof place === 'string' ? place : place.hash;
    const circumstances = { day: block.time.slice(0, 10), upgrade: upgradePlan, messageTypes: messageTypes(block) };
    throw new HoldingsError(block.height, name, difference, message, circumstances);
  }
}

/** Converts the error of an unreadable amount, such as one without a denom, to a mismatch. */
function unreadable({ message }: Error): Pick<Mismatch, 'difference' | 'message'> {
  return { difference: { what: 'a figure', expected: 'that it can be read', found: message }, message };
}

function messageTypes({ transactions }: FullBlock): string[] {
  const types = new Set<string>();
  const visit = (messages: readonly Message[]) => {
    for (const { typeUrl, inner } of messages) {
      types.add(typeUrl);
      visit(inner);
    }
  };
  for (const { code, messages } of transactions) if (code === 0) visit(messages);
  return [...types].sort();
}

function closeDay(state: HoldingsState, emit: Emit): void {
  expectDailySums(state);
  emitDay(state, emit);
}

function endBlockIndex(events: readonly ChainEventRecord[]): number {
  const index = events.findIndex((event) => modeOf(event) === 'EndBlock');
  return index < 0 ? events.length : index;
}

const beginWalk = (
  context: BlockContext,
  place: string,
  choiceOf: ChoiceOf,
  transaction?: Transaction,
  messages?: TransactionMessages,
): Walk => ({ context, place, transaction, messages, choiceOf, index: -1, commission: 0n });

function walkEvents(events: readonly ChainEventRecord[], walk: Walk, from = 0, to = events.length): void {
  for (let i = from; i < to; i++) {
    const event = events[i]!;
    const rule = RULES.get(event.type);
    if (!rule) continue;
    walk.index = i;
    walk.messages?.applySilent(walk.context, event);
    rule(event, walk);
  }
  claimEarlier(walk, 0);
  expectNothingBurned(walk);
}

function foldTransaction(context: BlockContext, transaction: Transaction, choiceOf: ChoiceOf): void {
  const { events, messages, index } = transaction;
  const transactionMessages = new TransactionMessages(messages);
  walkEvents(events, beginWalk(context, String(index), choiceOf, transaction, transactionMessages));
  transactionMessages.applySilent(context);
}

/** Applies EndBlock in the chain's order: governance, election of validators, end of their unbonding, payouts. */
function foldEndBlock(
  context: BlockContext,
  { events, validatorUpdates }: FullBlock,
  begin: number,
  choiceOf: ChoiceOf,
) {
  const completion = events.findIndex(({ type }, i) => i >= begin && COMPLETIONS.has(type));
  const cut = completion < 0 ? events.length : completion;
  const walk = beginWalk(context, 'EndBlock', choiceOf);
  walkEvents(events, walk, begin, cut);
  endBlockValidators(context, validatorUpdates);
  walkEvents(events, walk, cut);
}

/**
 * Returns true if a block contains an undelegation without a message. Only the message contains the requested amount.
 * Contracts and passed proposals undelegate without a message.
 */
function mayNeedGuess({ events: blockEvents, transactions }: FullBlock): boolean {
  if (blockEvents.some(({ type }) => type === 'unbond')) return true;
  return transactions.some(({ code, events, messages }) => {
    if (code !== 0 || !events.some(({ type }) => type === 'unbond')) return false;
    const requested = new TransactionMessages(messages);
    return events.some((event) => {
      if (event.type !== 'unbond') return false;
      const [delegator, validator] = ['delegator', 'validator'].map((key) => attributeOrNone(event, key) ?? '');
      return requested.requestedAmount(event, delegator!.toLowerCase(), validator!.toLowerCase()) === undefined;
    });
  });
}
