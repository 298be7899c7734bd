/** Plays a random chain block by block, with modules in the Hub's order. */
import type { ChainEventRecord, FullBlock, Message, Transaction } from '../../../pipeline/chain/block.js';
import { formatTime } from '../holdings-facts.js';
import { account, message } from '../small-chain.js';
import {
  BOND_DENOM,
  Chain,
  type Delegation,
  HOUR,
  NOT_BONDED_POOL,
  type Proposal,
  type Request,
  type Validator,
} from './chain.js';
import { coin, plus, UNIT } from './decimal.js';
import { allocate, incrementPeriod, initializeDelegation } from './distribution.js';
import { expectBalanced } from './facts.js';
import { RULES } from './messages.js';
import { providerUpdates } from './provider.js';
import type { Action, BlockPlan, Scenario, TransactionPlan } from './scenario.js';
import { evidenceOf, type Slashed, slashDoubleSign, slashDowntime } from './slashing.js';
import { completeEntries, matureValidators, powerOf, updateValidatorSet } from './staking.js';
import { decidePlan, runDuePlan } from './upgrades.js';

const OTHER_DENOM = 'ibc/27';
const DELEGATORS = [1, 2, 3, 4].map(account);
const OPERATORS = [1, 2, 3, 4, 5, 6].map((number) => account(100 + number));
const MINUTE = HOUR / 60n;
const COMMUNITY_TAX = UNIT / 50n;

/** Opens the genesis: validators first, then delegations in the file's order. */
export function openChain(scenario: Scenario): Chain {
  const fraction = (permille: number) => (UNIT * BigInt(permille)) / 1000n;
  const chain = new Chain({
    unbondingTime: BigInt(scenario.unbondingHours) * HOUR,
    maxValidators: scenario.maxValidators,
    downtime: fraction(scenario.downtime),
    doubleSign: fraction(scenario.doubleSign),
    providerLimit: scenario.providerLimit,
  });
  chain.contracts = scenario.contracts;
  const parts = scenario.validators.map((amounts, i) => {
    const validator = chain.addValidator(i + 1, 1n, (UNIT * BigInt(i)) / 7n);
    return amounts.map((amount, j) => ({ validator, amount, delegator: j > 0 ? DELEGATORS[j]! : validator.account }));
  });
  for (const { validator, amount } of parts.flat()) {
    validator.tokens += amount;
    validator.shares += amount * UNIT;
  }
  for (const { validator, amount, delegator } of parts.flat()) {
    const { operator } = validator;
    chain.delegations.set(`${delegator} ${operator}`, { delegator, operator, shares: amount * UNIT });
    incrementPeriod(chain, validator);
    initializeDelegation(chain, validator, delegator);
  }
  for (const validator of chain.validators.values()) {
    chain.mint(NOT_BONDED_POOL, coin(BOND_DENOM, validator.tokens));
  }
  consensusUpdates(chain);
  chain.powers.shift(); // the set of the genesis is the first there is
  for (const address of [...DELEGATORS, ...OPERATORS]) {
    chain.mint(address, plus(coin(BOND_DENOM, 10n ** 14n), coin(OTHER_DENOM, 10n ** 14n)));
  }
  return chain;
}

export interface Played {
  readonly block: FullBlock;
  /** Coins taken by slashes, in order. */
  readonly slashed: readonly Slashed[];
}

const pick = <Value>(list: readonly Value[], number: number): Value | undefined => list[number % (list.length || 1)];

/** Chooses the parties of an action, and an existing delegation or entry if it needs one. */
function requestOf(chain: Chain, { kind, who, validator: number, choice, amount, other }: Action): Request | undefined {
  const validators = [...chain.validators.values()];
  const validator = pick(validators, number);
  const destination = pick(validators, choice);
  if (!validator || !destination) return undefined;
  const request = { validator, destination, amount, choice, denom: other ? OTHER_DENOM : BOND_DENOM };
  const existing = existingPairs(chain, kind);
  if (!existing) return { ...request, delegator: pick([...DELEGATORS, ...OPERATORS], who)! };
  const pair = pick(existing, who);
  const of = chain.validators.get(pair?.operator ?? '');
  return pair && of ? { ...request, delegator: pair.delegator, validator: of } : undefined;
}

/** Candidate pairs for a kind of message; undefined if any account fits. */
function existingPairs(chain: Chain, kind: Action['kind']): Pick<Delegation, 'delegator' | 'operator'>[] | undefined {
  if (kind === 'cancel') return [...chain.unbondings.values()];
  if (!['undelegate', 'redelegate', 'claim', 'tokenize'].includes(kind)) return undefined;
  const records = new Set([...chain.shareRecords.values()].map((record) => record.account));
  return [...chain.delegations.values()].filter(({ delegator }) => !records.has(delegator));
}

/** Nests the messages in MsgExec. */
function wrap(messages: readonly Message[], depth: number): readonly Message[] {
  let wrapped = messages;
  for (let i = 0; i < depth; i++) {
    wrapped = [{ ...message('/cosmos.authz.v1beta1.MsgExec', {}), inner: wrapped }];
  }
  return wrapped;
}

/** Attributes with the message's path, innermost first. */
function pathOf(index: number, depth: number): ChainEventRecord['attributes'] {
  const attribute = (key: string, place: number) => ({ key, value: String(place) });
  if (depth === 0) return [attribute('msg_index', index)];
  const inner = [index, ...Array.from({ length: depth - 1 }, () => 0)];
  return [...inner.map((place) => attribute('authz_msg_index', place)), attribute('msg_index', 0)];
}

/** A contract's message contains neither undelegated amounts nor edited or unjailed validators. */
const EXECUTION = message('/cosmwasm.wasm.v1.MsgExecuteContract', {});
const BY_CONTRACTS: readonly Action['kind'][] = ['undelegate', 'edit', 'unjail'];
const isByContract = ({ contracts }: Chain, { kind, choice }: Action) =>
  contracts && BY_CONTRACTS.includes(kind) && choice % 2 === 0;

function playTransaction(chain: Chain, { depth, actions }: TransactionPlan, index: number): Transaction {
  const messages: Message[] = [];
  const events: ChainEventRecord[] = [];
  for (const action of actions) {
    const request = requestOf(chain, action);
    if (!request) continue;
    let done: Message | undefined;
    const own = chain.collect(() => {
      done = RULES[action.kind](chain, request);
    });
    if (!done) continue;
    const path = pathOf(messages.length, depth);
    events.push(...own.map(({ type, attributes }) => ({ type, attributes: [...attributes, ...path] })));
    messages.push(isByContract(chain, action) ? EXECUTION : done);
  }
  const hash = `${chain.height}/${index}`;
  return { index, hash, code: 0, memo: '', messages: wrap(messages, depth), events };
}

/** Voters for the previous block and their power; updates take effect two blocks later. */
const lastCommit = ({ powers, height }: Chain) => powers[Math.max(0, height - 3)]!;

function beginBlock(chain: Chain, { fees, downtime, doubleSigns }: BlockPlan) {
  const votes = lastCommit(chain);
  const coins = plus(coin(BOND_DENOM, fees[0]), coin(OTHER_DENOM, fees[1]));
  if (chain.height > 1 && votes.size > 0 && coins.size > 0) allocate(chain, coins, votes, COMMUNITY_TAX);
  const slashed: (Slashed | undefined)[] = [];
  for (const number of downtime) {
    const [operator, power] = pick([...votes], number) ?? ['', 0];
    slashed.push(slashDowntime(chain, operator, power));
  }
  const evidence = new Map<string, ReturnType<typeof evidenceOf>>();
  for (const { validator: number, age } of doubleSigns) {
    const validator: Validator | undefined = pick([...chain.validators.values()], number);
    const height = chain.height - 1 - age;
    if (!validator || height < 1 || evidence.has(validator.operator)) continue;
    evidence.set(validator.operator, evidenceOf(validator, height));
    slashed.push(slashDoubleSign(chain, validator.operator, powerAt(chain, validator, height), height));
  }
  const done = slashed.filter((one) => one !== undefined);
  return { slashed: done, doubleSigns: [...evidence.values()] };
}

/** Voting power at a height; outside the set, the power of the current tokens. */
const powerAt = ({ powers }: Chain, validator: Validator, height: number) =>
  powers[Math.max(0, height - 2)]!.get(validator.operator) ?? powerOf(validator);

/** Validator updates by the provider, if there is one, or by staking. */
function consensusUpdates(chain: Chain): Map<string, number> {
  const updates = updateValidatorSet(chain);
  if (chain.parameters.providerLimit > 0) return providerUpdates(chain);
  chain.powers.push(chain.lastPowers);
  return updates;
}

/** Executes a proposal; a failing message changes nothing. */
function execute(chain: Chain, { plan, ...changes }: Proposal): boolean {
  if (changes.providerLimit !== undefined && chain.parameters.providerLimit === 0) return false;
  if (plan !== undefined) return decidePlan(chain, plan);
  chain.parameters = { ...chain.parameters, ...changes };
  return true;
}

/** Governance runs first: its parameters affect staking in the same block. */
function endBlock(chain: Chain, { passes }: BlockPlan): Map<string, number> {
  const [proposal] = chain.proposals;
  if (proposal && passes) {
    const [id, changes] = proposal;
    const proposal_result = execute(chain, changes) ? 'proposal_passed' : 'proposal_failed';
    chain.proposals.delete(id);
    chain.emit('active_proposal', { proposal_id: String(id), proposal_result });
  }
  const updates = consensusUpdates(chain);
  matureValidators(chain);
  completeEntries(chain);
  return updates;
}

const inMode = (mode: string, events: readonly ChainEventRecord[]) =>
  events.map(({ type, attributes }) => ({ type, attributes: [...attributes, { key: 'mode', value: mode }] }));

/** Plays the next block. @throws Error if the chain would halt or the model's sums differ */
export function playBlock(chain: Chain, plan: BlockPlan): Played {
  chain.height += 1;
  chain.time += BigInt(plan.minutes) * MINUTE + BigInt(plan.nanoseconds);
  chain.slashed = [];
  const before = chain.collect(() => runDuePlan(chain));
  let begun: ReturnType<typeof beginBlock> | undefined;
  const begin = chain.collect(() => {
    begun = beginBlock(chain, plan);
  });
  const transactions = plan.transactions.map((one, index) => playTransaction(chain, one, index));
  let updates = new Map<string, number>();
  const end = chain.collect(() => {
    updates = endBlock(chain, plan);
  });
  expectBalanced(chain);
  const block: FullBlock = {
    height: chain.height,
    time: formatTime(chain.time),
    hash: '',
    chainId: 'model-1',
    transactions,
    events: [...before, ...inMode('BeginBlock', begin), ...inMode('EndBlock', end)],
    validatorUpdates: [...updates].map(([publicKey, power]) => ({ publicKey, power })),
    doubleSigns: begun!.doubleSigns,
  };
  return { block, slashed: [...begun!.slashed, ...chain.slashed] };
}
