/** Stores of a model chain, as in the Hub's modules, and the current events. */
import type { ChainEventRecord, Message } from '../../../pipeline/chain/block.js';
import { moduleAccount } from '../../../pipeline/holdings/modules/validator.js';
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
  rate: bigint;
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
  /** Only redelegations. */
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

/** x/distribution records of a validator. Historical ratios are reference-counted. */
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

/** Changes by a passed proposal; a null plan cancels the current one. */
export type Proposal = Partial<Parameters> & { readonly plan?: Plan | null };

/** Base units that a slash took from a delegator. */
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
  /** Queues by completion; slots may be outdated. */
  unbondingQueue: { readonly completion: bigint; readonly key: string }[] = [];
  redelegationQueue: { readonly completion: bigint; readonly key: string }[] = [];
  readonly slow = new SlowAccounts();
  communityPool: Coins = NO_COINS;
  readonly balances = new Map<string, Coins>();
  readonly withdrawAddresses = new Map<string, string>();
  readonly proposals = new Map<number, Proposal>();
  plan: Plan | undefined;
  /** CometBFT powers by operator after each block; the first is the genesis set. */
  readonly powers: ReadonlyMap<string, number>[] = [new Map()];
  /** LastValidatorPower. */
  lastPowers = new Map<string, number>();
  /** Coins taken by slashes in the current block's transactions. */
  slashed: { readonly operator: string; readonly reason: string; readonly losses: ReadonlyMap<string, Loss> }[] = [];
  contracts = false;
  nextProposal = 1;
  nextShareRecord = 59_712;
  events: ChainEventRecord[] = [];

  constructor(public parameters: Parameters) {}

  emit(type: string, attributes: Readonly<Record<string, string>>): void {
    this.events.push(event(type, attributes));
  }

  /** Events emitted by the function. */
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

  /** Sends nothing if the amount is empty. */
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

/** Requested subject of a message. */
export interface Request {
  readonly delegator: string;
  readonly validator: Validator;
  readonly destination: Validator;
  /** Requested base units; limited to the available amount. */
  readonly amount: bigint;
  readonly denom: string;
  /** Selects among entries, records and numbers. */
  readonly choice: number;
}

/** Runs a message. @returns the decoded message; undefined if it fails */
export type Rule = (chain: Chain, request: Request) => Message | undefined;
