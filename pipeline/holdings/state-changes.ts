/**
 * State changes without events, applied from reviewed data: changes by upgrade handlers (data/reference/upgrades.json),
 * and the operator's corrections.
 */

import { bech32 } from '@scure/base';
import type { Correction, StateChange, Upgrade } from '../../schemas/types.generated.js';
import type { ChainEventRecord } from '../chain/block.js';
import { expectEqual, Mismatch } from './holdings-error.js';
import { slashFraction } from './modules/slashing.js';
import { addressPrefix, beginUnbonding, electValidators, moduleAccount, validatorOf } from './modules/validator.js';
import { attributeOrNone } from './rules/event-walk.js';
import {
  type BlockContext,
  BONDED,
  type HoldingsState,
  type StakingParameters,
  type UpgradePlan,
  type Validator,
} from './state.js';
import { JsonItem } from './values/json-item.js';

export interface ReviewedChanges {
  readonly upgrades: readonly Upgrade[];
  readonly corrections: readonly Correction[];
}

type Change<Kind extends StateChange['kind']> = Extract<StateChange, { kind: Kind }>;

const PARAMETERS: Readonly<
  Record<Change<'set_parameter'>['parameter'], (value: JsonItem) => Partial<StakingParameters>>
> = {
  unbonding_time: (value) => ({ unbondingTime: value.duration() }),
  max_validators: (value) => ({ maxValidators: value.count() }),
  slash_fraction_downtime: (value) => ({ slashFractionDowntime: value.decimal() }),
  slash_fraction_double_sign: (value) => ({ slashFractionDoubleSign: value.decimal() }),
  max_provider_consensus_validators: (value) => ({ maxProviderConsensusValidators: value.count() }),
};

/** Returns the first error that the JSON schema cannot detect. The text begins with the wrong member's name. */
export function changeFault(change: StateChange): string | undefined {
  const addresses = Object.entries(addressesOf(change));
  const mistyped = addresses.find(([, address]) => !isAddress(address));
  if (mistyped) return `${mistyped[0]} is not an address: ${mistyped[1]}`;
  if (change.kind !== 'set_parameter') return undefined;
  try {
    PARAMETERS[change.parameter](new JsonItem(change.parameter, change.value));
    return undefined;
  } catch (error) {
    return `value is wrong: ${(error as Error).message}`;
  }
}

const ADDRESS = /^[a-z]+1[02-9ac-hj-np-z]{38,58}$/;

function addressesOf(change: StateChange): Readonly<Record<string, string>> {
  if (change.kind === 'move_coins') {
    const { from, to } = change;
    return Object.fromEntries(Object.entries({ from, to }).filter(([, account]) => ADDRESS.test(account)));
  }
  if ('account' in change) return { account: change.account };
  if ('validator' in change) return { validator: change.validator };
  if (!('validators' in change)) return {};
  return Object.fromEntries(change.validators.map((validator, i) => [`validators/${i}`, validator]));
}

/**
 * Applies an upgrade planned for this height, then the operator's corrections. @throws Mismatch if a change does not
 * fit the state
 */
export function applyReviewed(
  context: BlockContext,
  events: readonly ChainEventRecord[],
  { upgrades = [], corrections = [] }: Partial<ReviewedChanges>,
): void {
  runUpgrade(context, events, upgrades);
  for (const { height, what } of corrections) {
    if (height === context.height) for (const change of what) applyChange(context, change);
  }
}

function applyChange(context: BlockContext, change: StateChange): void {
  const { state } = context;
  const { parameters } = state;
  context.moved = true;
  switch (change.kind) {
    case 'set_parameter':
      Object.assign(parameters, PARAMETERS[change.parameter](new JsonItem(change.parameter, change.value)));
      break;
    case 'lower_max_validators_to_provider_limit':
      parameters.maxValidators = Math.min(
        parameters.maxValidators,
        parameters.maxProviderConsensusValidators || parameters.maxValidators,
      );
      break;
    case 'unbond_validators_beyond_limit':
      unbondBeyondLimit(context);
      break;
    case 'remove_provider':
      parameters.maxProviderConsensusValidators = 0;
      break;
    case 'move_coins':
      break; // nothing to do: bank events of the block move the coins
    case 'jail_validators':
    case 'unjail_validators':
    case 'begin_unbonding':
      for (const operator of change.validators) changeValidator(context, change.kind, validatorOf(state, operator));
      break;
    case 'slash_validator':
      slashFraction(context, validatorOf(state, change.validator), new JsonItem('fraction', change.fraction).decimal());
      break;
    case 'adjust_balance':
      adjustBalance(context, change);
      break;
  }
}

function changeValidator(
  context: BlockContext,
  kind: 'jail_validators' | 'unjail_validators' | 'begin_unbonding',
  validator: Validator,
): void {
  if (kind !== 'begin_unbonding') validator.jailed = kind === 'jail_validators';
  else if (validator.status === BONDED) beginUnbonding(context, validator);
  else expectEqual('bonded', 'not bonded', { what: 'status', validator: validator.operator });
}

function adjustBalance({ state, height, emit }: BlockContext, change: Change<'adjust_balance'>): void {
  const { account: address, denom } = change;
  const amount = BigInt(change.amount);
  emit('balance_corrections', { address, denom, height, amount });
  const balances = state.moduleAccounts.get(address)?.balances;
  if (!balances) return;
  const balance = (balances.get(denom) ?? 0n) + amount;
  if (balance < 0n) throw new Mismatch({ what: `${denom} of ${address}`, expected: 'at least 0', found: `${balance}` });
  balances.set(denom, balance);
}

const duePlan = ({ upgradePlan }: HoldingsState, height: number): UpgradePlan | undefined =>
  upgradePlan && upgradePlan.height <= height ? upgradePlan : undefined;

export function unknownUpgrade(
  { upgradePlan }: Pick<HoldingsState, 'upgradePlan'>,
  upgrades: readonly Upgrade[],
): UpgradePlan | undefined {
  return upgradePlan && !upgrades.some(({ name }) => name === upgradePlan.name) ? upgradePlan : undefined;
}

export const unknownUpgradeNote = ({ name, height }: UpgradePlan): string =>
  `upgrade ${name} at height ${height} is not reviewed: add it to data/reference/upgrades.json, or upgrade hubledger`;

/**
 * Runs an upgrade that is planned for this height (x/upgrade PreBlocker). An unreviewed upgrade changes nothing here.
 * If it changed the chain's state, later amounts differ and stop the fold.
 * @throws Mismatch if the handler moved coins of a module and the reviewed upgrade does not list this move
 */
function runUpgrade(context: BlockContext, events: readonly ChainEventRecord[], upgrades: readonly Upgrade[]): void {
  const plan = duePlan(context.state, context.height);
  if (!plan) return;
  context.state.upgradePlan = null;
  context.state.upgrades.push({ name: plan.name, height: context.height });
  const upgrade = upgrades.find(({ name }) => name === plan.name);
  if (!upgrade) return;
  for (const change of upgrade.changes) applyChange(context, change);
  expectNamedMoves(context.state, events, upgrade);
}

function expectNamedMoves(state: HoldingsState, events: readonly ChainEventRecord[], { changes }: Upgrade): void {
  const [someAccount = ''] = state.moduleAccounts.keys();
  const address = (name: string) =>
    isAddress(name) ? name : moduleAccount(name, addressPrefix(someAccount), state.sha256);
  const named = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'move_coins') named.add(`${address(change.from)} → ${address(change.to)}`);
  }
  for (const event of events) {
    if (attributeOrNone(event, 'mode') !== undefined) return;
    if (event.type !== 'transfer') continue;
    const parties = [attributeOrNone(event, 'sender'), attributeOrNone(event, 'recipient')];
    const move = parties.join(' → ');
    if (!parties.some((account) => state.moduleAccounts.has(account ?? ''))) continue;
    if (!named.has(move)) expectEqual(move, '', { what: 'coins that the upgrade moves' });
  }
}

function isAddress(text: string): boolean {
  return bech32.decodeUnsafe(text as `${string}1${string}`) !== undefined;
}

function unbondBeyondLimit(context: BlockContext): void {
  const elected = electValidators(context.state);
  for (const validator of context.state.validators.values()) {
    if (validator.status === BONDED && !elected.has(validator)) beginUnbonding(context, validator);
  }
  context.moved = true;
}
