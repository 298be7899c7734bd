/** The state of the chain's stakes after a block. The fold changes it in place; everything in it can be written down. */
import type {
  BalanceCorrection,
  DelegationSpan,
  RewardRatio,
  SlashLoss,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
} from '../../schemas/types.generated.js';
import type { ChainEventRecord, DoubleSign } from '../chain/block.js';
import type { Delegations } from './delegations.js';
import type { JournaledMap, UndoJournal } from './undo-journal.js';
import type { Amounts, Denoms } from './values/dec-coins.js';

export const UNBONDED = 1;
export const UNBONDING = 2;
export const BONDED = 3;
export type Status = typeof UNBONDED | typeof UNBONDING | typeof BONDED;

/** Shares, stakes, fractions and ratios are decimals × 10^18, tokens and balances base units, times nanoseconds. */
export interface Slash {
  readonly height: number;
  readonly period: number;
  /** The fraction that was burned of the tokens, not the parameter. */
  readonly fraction: bigint;
  readonly ratio: Amounts;
}

export interface Validator {
  readonly operator: string;
  /** Bech32 account of the operator, whose own delegation may not fall below minSelfDelegation. */
  readonly account: string;
  /** Ed25519 key in base64 and the address made of it, bech32; '' while the key is not known. */
  publicKey: string;
  consensusAddress: string;
  tokens: bigint;
  shares: bigint;
  status: Status;
  jailed: boolean;
  unbondingTime: bigint;
  unbondingHeight: number;
  minSelfDelegation: bigint;
  /** Voting power that consensus was told; 0 for those that it does not know. */
  power: number;
  /** Number of the period under way; `ratio` is the cumulative one at the end of the period before. */
  period: number;
  ratio: Amounts;
  /** Amounts in 10^-18 base units: earned in the period under way, not yet paid to anyone, and the operator's part of it. */
  current: bigint[];
  outstanding: bigint[];
  commission: bigint[];
  readonly slashes: Slash[];
  readonly delegations: Delegations;
}

export interface UnbondingEntry {
  /** Height that also tells the entries of a pair apart: two of one block are merged. */
  readonly creationHeight: number;
  readonly completion: bigint;
  readonly initialBalance: bigint;
  readonly balance: bigint;
  /** Height at which the balance became what it is. */
  readonly since: number;
}

export interface RedelegationEntry {
  readonly creationHeight: number;
  readonly completion: bigint;
  readonly initialBalance: bigint;
  readonly destinationShares: bigint;
}

export interface Redelegations {
  readonly delegator: string;
  readonly destination: string;
  readonly entries: readonly RedelegationEntry[];
}

export interface ShareRecord {
  readonly owner: string;
  readonly validator: string;
  /** The record's own account, which is the delegator. */
  readonly account: string;
}

export interface StakingParameters {
  /** Nanoseconds. */
  unbondingTime: bigint;
  maxValidators: number;
  slashFractionDowntime: bigint;
  slashFractionDoubleSign: bigint;
  /**
   * Validators that the interchain-security provider tells consensus of: the first so many of the bonded by power. 0 without a
   * provider, where consensus hears of all bonded validators.
   */
  maxProviderConsensusValidators: number;
}

/** An upgrade that the chain has decided on: its handler runs before the block of that height. */
export interface UpgradePlan {
  readonly name: string;
  readonly height: number;
}

/** Changes that a proposal makes when it passes; a plan of null cancels the one there is. `unreadable` says what cannot be told of them. */
export type ProposedChanges = Partial<StakingParameters> & { upgradePlan?: UpgradePlan | null; unreadable?: string };

/** An undelegation by a contract whose asked amount no event tells, and more than one fits what was paid. */
export interface Guess {
  /** Height, transaction and event: the same each time these blocks are folded. */
  readonly id: string;
  readonly validator: string;
  /** Index of the amount that is assumed, among so many that fit. */
  readonly choice: number;
  readonly choices: number;
  /** Whether anything was delegated at the validator since, which may tell the choices apart. */
  readonly hasEvidence: boolean;
}

export type ModuleName = 'distribution' | 'bonded_tokens_pool' | 'not_bonded_tokens_pool';

/** A sum that the chain keeps in two places: pools and stakes, the community pool and its account, a validator's shares. */
export type SumName = Exclude<ModuleName, 'distribution'> | 'community_pool' | 'shares';

export interface HoldingsState {
  readonly sha256: Sha256;
  /** The journal of all its collections, by which the state is taken back. */
  readonly journal: UndoJournal;
  /** Denoms of rewards; balances have others too. */
  readonly denoms: Denoms;
  readonly bondDenom: string;
  /** Height, time and day of the last block folded; time in nanoseconds since 1970, day YYYY-MM-DD ('' before the first block). */
  height: number;
  time: bigint;
  day: string;
  readonly parameters: StakingParameters;
  /** Changes of submitted proposals, by proposal. */
  readonly proposals: Map<string, ProposedChanges>;
  /** The upgrade to come; null when the chain has decided on none. */
  upgradePlan: UpgradePlan | null;
  /** The upgrades that ran since the starting state, each with its height, ascending. */
  readonly upgrades: UpgradePlan[];
  readonly validators: Map<string, Validator>;
  /** Validators by consensus address. */
  readonly validatorsByConsensus: Map<string, Validator>;
  /** Entries by validator, then delegator: they outlive their validator. */
  readonly unbondings: JournaledMap<string, JournaledMap<string, readonly UnbondingEntry[]>>;
  /** Entries by source validator, then `delegator/destination`. */
  readonly redelegations: JournaledMap<string, JournaledMap<string, Redelegations>>;
  /** Σ balances of all unbonding entries. */
  unbonding: bigint;
  readonly shareRecords: JournaledMap<string, ShareRecord>;
  /** Module accounts by address: the module, and its balances in base units by denom. */
  readonly moduleAccounts: Map<string, { readonly name: ModuleName; readonly balances: Map<string, bigint> }>;
  /**
   * Differences that sums had in the starting state, in 10^-18, by `sum of`: the name of the sum, and the denom or the operator
   * address that it is of.
   */
  readonly differences: Map<string, bigint>;
  guesses: Guess[];
}

/** SHA-256, given from outside: the fold has no cryptography of its own. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The tables that the fold writes. */
export interface HoldingsTables {
  delegation_spans: DelegationSpan;
  reward_ratios: RewardRatio;
  validator_days: ValidatorDay;
  validator_slashes: ValidatorSlash;
  unbonding_intervals: UnbondingInterval;
  slash_losses: SlashLoss;
  balance_corrections: BalanceCorrection;
}

export type HoldingsTable = keyof HoldingsTables;
export type Emit = <Table extends HoldingsTable>(table: Table, row: HoldingsTables[Table]) => void;

/** A withdraw_rewards event that no rule has accounted for yet. */
export interface Withdrawal {
  readonly validator: string;
  readonly delegator: string;
  /** The amount as the event says it. */
  readonly amount: string;
  readonly event: ChainEventRecord;
}

/** A block under way. */
export interface BlockContext {
  readonly state: HoldingsState;
  readonly height: number;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly emit: Emit;
  readonly doubleSigns: readonly DoubleSign[];
  /** Queue: a rule that withdraws takes the first and must find it equal. */
  readonly withdrawals: Withdrawal[];
  /** Base units that the staking pools burned and no slash has accounted for yet, in the order of the events. */
  readonly burned: bigint[];
  /** True once something has moved that decides who is bonded or what the pools hold. */
  moved: boolean;
}
