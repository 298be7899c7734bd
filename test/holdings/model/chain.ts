/** The stores of a model chain, as the modules of the Hub's program keep them, and the events of what is under way. */
import type { ChainEventRecord, Message } from '../../../pipeline/chain/block.js';
import { moduleAccount } from '../../../pipeline/holdings/modules/addresses.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { account, event, operator, publicKey } from '../small-chain.js';
import { type Coins, coin, coinsText, each, minus, NO_COINS, plus } from './decimal.js';
import { SlowAccounts } from './slow-accounts.js';

export const BOND_DENOM = 'uatom';
export const HOUR = 3_600_000_000_000n;

const module = (name: string) => moduleAccount(name, 'cosmos', sha256);
export const DISTRIBUTION = module('distribution');
export const BONDED_POOL = module('bonded_tokens_pool');
export const NOT_BONDED_POOL = module('not_bonded_tokens_pool');
export const MINT = module('mint');

export type Status = 'BOND_STATUS_UNBONDED' | 'BOND_STATUS_UNBONDING' | 'BOND_STATUS_BONDED';

/** Decimals × 10^18, tokens in base units, times in nanoseconds. */
export interface Validator {
  readonly operator: string;
  readonly account: string;
  readonly number: number;
  readonly publicKey: string;
  tokens: bigint;
  shares: bigint;
  status: Status;
  jailed: boolean;
  tombstoned: boolean;
  unbondingTime: bigint;
  unbondingHeight: number;
  minSelfDelegation: bigint;
  readonly rate: bigint;
}

export interface Delegation {
  readonly delegator: string;
  readonly operator: string;
  shares: bigint;
}

export interface Entry {
  readonly height: number;
  readonly completion: bigint;
  initialBalance: bigint;
  balance: bigint;
  /** Shares at the destination; only redelegations have some. */
  readonly sharesDst: bigint;
}

export interface UnbondingDelegation {
  readonly delegator: string;
  readonly operator: string;
  entries: Entry[];
}

export interface Redelegation extends UnbondingDelegation {
  readonly destination: string;
}

export interface StartingInfo {
  readonly period: number;
  readonly stake: bigint;
  readonly height: number;
}

export interface SlashEvent {
  readonly height: number;
  readonly period: number;
  readonly fraction: bigint;
}

/** A validator's records of x/distribution. Historical ratios are counted by reference and dropped when nobody needs them. */
export interface RewardRecord {
  period: number;
  current: Coins;
  outstanding: Coins;
  commission: Coins;
  readonly historical: Map<number, { readonly ratio: Coins; references: number }>;
  readonly slashes: SlashEvent[];
}

export interface Parameters {
  readonly unbondingTime: bigint;
  readonly maxValidators: number;
  readonly downtime: bigint;
  readonly doubleSign: bigint;
  /** max_provider_consensus_validators; 0 without a provider. */
  readonly providerLimit: number;
}

export interface Plan {
  readonly name: string;
  readonly height: number;
}

/** The changes of a proposal that passes; a plan of null cancels the one there is. */
export type Proposal = Partial<Parameters> & { readonly plan?: Plan | null };

/** The amount that a slash took from a delegator, in base units. */
export interface Loss {
  delegated: bigint;
  unbonding: bigint;
  redelegated: bigint;
}

export class Chain {
  height = 0;
  time = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
  readonly validators = new Map<string, Validator>();
  /** Records by `delegator operator`. */
  readonly delegations = new Map<string, Delegation>();
  readonly startingInfos = new Map<string, StartingInfo>();
  readonly unbondings = new Map<string, UnbondingDelegation>();
  /** Records by `delegator source destination`. */
  readonly redelegations = new Map<string, Redelegation>();
  readonly rewards = new Map<string, RewardRecord>();
  readonly shareRecords = new Map<string, { owner: string; readonly operator: string; readonly account: string }>();
  /** Queues by completion: what is looked at when its time has come, whatever has become of it. */
  unbondingQueue: { readonly completion: bigint; readonly key: string }[] = [];
  redelegationQueue: { readonly completion: bigint; readonly key: string }[] = [];
  readonly slow = new SlowAccounts();
  communityPool: Coins = NO_COINS;
  readonly balances = new Map<string, Coins>();
  readonly withdrawAddresses = new Map<string, string>();
  readonly proposals = new Map<number, Proposal>();
  plan: Plan | undefined;
  /** Voting power by operator as consensus knows it, after each block; the first is the genesis set. */
  readonly powers: ReadonlyMap<string, number>[] = [new Map()];
  /** LastValidatorPower: voting power of the bonded after the last block. */
  lastPowers = new Map<string, number>();
  /** Coins that slashes of transactions took in the block under way. */
  slashed: { readonly operator: string; readonly reason: string; readonly losses: ReadonlyMap<string, Loss> }[] = [];
  contracts = false;
  nextProposal = 1;
  nextShareRecord = 59_712;
  events: ChainEventRecord[] = [];

  constructor(public parameters: Parameters) {}

  emit(type: string, attributes: Readonly<Record<string, string>>): void {
    this.events.push(event(type, attributes));
  }

  /** The events that are emitted meanwhile. */
  collect(run: () => void): ChainEventRecord[] {
    const outer = this.events;
    this.events = [];
    run();
    const own = this.events;
    this.events = outer;
    return own;
  }

  balance(address: string, denom = BOND_DENOM): bigint {
    return this.balances.get(address)?.get(denom) ?? 0n;
  }

  mint(address: string, coins: Coins): void {
    this.balances.set(address, plus(this.balances.get(address) ?? NO_COINS, coins));
    this.emit('coin_received', { receiver: address, amount: coinsText(coins) });
  }

  burn(address: string, coins: Coins): void {
    this.balances.set(address, minus(this.balances.get(address) ?? NO_COINS, coins));
    this.emit('coin_spent', { spender: address, amount: coinsText(coins) });
  }

  /** Nothing is sent when there is nothing to send. */
  send(from: string, to: string, coins: Coins): void {
    if (each(coins, (amount) => amount).size === 0) return;
    this.burn(from, coins);
    this.mint(to, coins);
  }

  sendBonded(from: string, to: string, amount: bigint): void {
    if (from !== to) this.send(from, to, coin(BOND_DENOM, amount));
  }

  addValidator(number: number, minSelfDelegation: bigint, rate: bigint): Validator {
    const validator: Validator = {
      operator: operator(number),
      account: account(100 + number),
      number,
      publicKey: publicKey(number),
      tokens: 0n,
      shares: 0n,
      status: 'BOND_STATUS_UNBONDED',
      jailed: false,
      tombstoned: false,
      unbondingTime: 0n,
      unbondingHeight: 0,
      minSelfDelegation,
      rate,
    };
    this.validators.set(validator.operator, validator);
    this.rewards.set(validator.operator, {
      period: 1,
      current: NO_COINS,
      outstanding: NO_COINS,
      commission: NO_COINS,
      historical: new Map([[0, { ratio: NO_COINS, references: 1 }]]),
      slashes: [],
    });
    return validator;
  }
}

export const poolOf = ({ status }: Validator) => (status === 'BOND_STATUS_BONDED' ? BONDED_POOL : NOT_BONDED_POOL);
export const pairKey = (delegator: string, operator: string) => `${delegator} ${operator}`;

/** Subject of a message as it is wished, all of it chosen from what there is. */
export interface Request {
  readonly delegator: string;
  readonly validator: Validator;
  readonly destination: Validator;
  /** Base units wished; taken as all there is when there is less. */
  readonly amount: bigint;
  readonly denom: string;
  /** Number that chooses among entries, records and numbers. */
  readonly choice: number;
}

/** Runs a message if the chain would let it. @returns it as the chain reader would give it; undefined when it would fail */
export type Rule = (chain: Chain, request: Request) => Message | undefined;
