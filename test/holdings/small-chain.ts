/** A chain of a few accounts with handwritten blocks. */
import { bech32 } from '@scure/base';
import type { ChainEventRecord, FullBlock, Message } from '../../pipeline/chain/block.js';
import { moduleAccount } from '../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { StartingState } from '../../pipeline/holdings/start/starting-state.js';
import type { HoldingsState } from '../../pipeline/holdings/state.js';
import { JsonItem } from '../../pipeline/holdings/values/json-item.js';

const bytes = (fill: number, length: number) => new Uint8Array(length).fill(fill);
export const account = (number: number) => bech32.encodeFromBytes('cosmos', bytes(number, 20));
export const operator = (number: number) => bech32.encodeFromBytes('cosmosvaloper', bytes(100 + number, 20));
export const publicKey = (number: number) => Buffer.from(bytes(number, 32)).toString('base64');
export const consensusBytes = (number: number) => Buffer.from(sha256(bytes(number, 32)).subarray(0, 20));
export const consensus = (number: number) => bech32.encodeFromBytes('cosmosvalcons', consensusBytes(number));

const DECIMALS = '000000000000000000';
const whole = (amount: bigint) => `${amount}.${DECIMALS}`;

export interface SmallValidator {
  readonly tokens: bigint;
  /** Whole shares by delegator, in the order of the genesis. */
  readonly delegations: readonly (readonly [delegator: string, shares: bigint])[];
}

export interface SmallParameters {
  readonly maxValidators?: number;
  /** max_provider_consensus_validators; undefined without a provider. */
  readonly providerLimit?: number;
  /** In the form of an export. */
  readonly proposals?: readonly object[];
}

export const ATOM = 1_000_000n;

/** Validators with these ATOM, each from its own account, numbered from 1. */
export const validatorsOf = (...atoms: readonly bigint[]): SmallValidator[] =>
  atoms.map((amount, i) => ({ tokens: amount * ATOM, delegations: [[account(i + 1), amount * ATOM]] }));

/** Reads fixed genesis parameters with this number of validators. */
export function takeParameters(take: (path: string, value: unknown) => void, maxValidators: number): void {
  take('initial_height', 1);
  take('app_state.staking.exported', false);
  take('app_state.staking.params', { unbonding_time: '1814400s', max_validators: maxValidators, bond_denom: 'uatom' });
  take('app_state.slashing.params', {
    slash_fraction_downtime: '0.010000000000000000',
    slash_fraction_double_sign: '0.050000000000000000',
  });
}

/** Opens a genesis with these bonded validators, numbered from 1. */
export function openSmallChain(
  validators: readonly SmallValidator[],
  { maxValidators = 100, providerLimit, proposals = [] }: SmallParameters = {},
): HoldingsState {
  const starting = new StartingState(sha256);
  const take = (path: string, value: unknown) => starting.readers[path]!(new JsonItem(path, value));
  takeParameters(take, maxValidators);
  if (providerLimit !== undefined) {
    take('app_state.provider.params', { max_provider_consensus_validators: String(providerLimit) });
  }
  for (const proposal of proposals) take('app_state.gov.proposals[]', proposal);
  let bonded = 0n;
  validators.forEach(({ tokens, delegations }, i) => {
    bonded += tokens;
    const shares = delegations.reduce((sum, [, more]) => sum + more, 0n);
    take('app_state.staking.validators[]', {
      operator_address: operator(i + 1),
      description: { moniker: 'a validator' },
      consensus_pubkey: { key: publicKey(i + 1) },
      jailed: false,
      status: 'BOND_STATUS_BONDED',
      tokens: String(tokens),
      delegator_shares: whole(shares),
      unbonding_height: '0',
      unbonding_time: '1970-01-01T00:00:00Z',
      min_self_delegation: '1',
      commission: { commission_rates: { rate: '0.050000000000000000' } },
    });
    for (const [delegator_address, amount] of delegations) {
      const delegation = { delegator_address, validator_address: operator(i + 1), shares: whole(amount) };
      take('app_state.staking.delegations[]', delegation);
    }
  });
  const coins = [{ denom: 'uatom', amount: String(bonded) }];
  take('app_state.bank.balances[]', { address: moduleAccount('bonded_tokens_pool', 'cosmos', sha256), coins });
  return starting.open();
}

export function event(type: string, attributes: Readonly<Record<string, string>>): ChainEventRecord {
  return { type, attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })) };
}

/** Bank events that change the balances of both pools. */
export function poolEvents(bonded: bigint, notBonded: bigint): ChainEventRecord[] {
  const change = (module: string, amount: bigint) => {
    const address = moduleAccount(module, 'cosmos', sha256);
    if (amount >= 0n) return event('coin_received', { receiver: address, amount: `${amount}uatom` });
    return event('coin_spent', { spender: address, amount: `${-amount}uatom` });
  };
  return [change('bonded_tokens_pool', bonded), change('not_bonded_tokens_pool', notBonded)];
}

/** An empty withdrawal, because tests allocate no rewards by default. */
export const withdrawn = (delegator: string, validator: string) =>
  event('withdraw_rewards', { amount: '', validator, delegator });

interface BlockParts extends Partial<Pick<FullBlock, 'validatorUpdates' | 'doubleSigns'>> {
  /** Events of an upgrade's handler, which have no mode. */
  readonly upgrade?: readonly ChainEventRecord[];
  readonly begin?: readonly ChainEventRecord[];
  readonly end?: readonly ChainEventRecord[];
  readonly transaction?: { readonly messages?: readonly Message[]; readonly events: readonly ChainEventRecord[] };
}

/** A block with at most one transaction; blocks are an hour apart. */
export function block(
  height: number,
  { upgrade = [], begin, end, transaction, validatorUpdates, doubleSigns }: BlockParts,
): FullBlock {
  const inMode = (mode: string, events: readonly ChainEventRecord[] = []) =>
    events.map(({ type, attributes }) => ({ type, attributes: [...attributes, { key: 'mode', value: mode }] }));
  const place = { index: 0, hash: `HASH${height}`, code: 0, memo: '' };
  return {
    height,
    time: new Date(Date.UTC(2026, 0, 1, height)).toISOString(),
    hash: '',
    chainId: 'small-1',
    transactions: transaction ? [{ messages: [], ...place, ...transaction }] : [],
    events: [...upgrade, ...inMode('BeginBlock', begin), ...inMode('EndBlock', end)],
    validatorUpdates: validatorUpdates ?? [],
    doubleSigns: doubleSigns ?? [],
  };
}

/** A decoded message as in chain/block.ts. */
export const message = (typeUrl: string, value: unknown): Message => ({
  typeUrl,
  value,
  bytes: new Uint8Array(),
  inner: [],
});
