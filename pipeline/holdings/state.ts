/** State of the chain's stakes after a block; the fold changes it in place. */
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
import type { Amounts, Denoms } from './values/decimal18.js';

export const UNBONDED = 1;
export const UNBONDING = 2;
export const BONDED = 3;
export type Status = typeof UNBONDED | typeof UNBONDING | typeof BONDED;

/** Units here: decimals × 10^18 (shares, stakes, fractions, ratios), base units (tokens, balances), nanoseconds (times). */
export interface Slash {
  readonly height: number;
  readonly period: number;
  /** Burned fraction of the tokens, not the slashing parameter. */
  readonly fraction: bigint;
  readonly ratio: Amounts;
}

export interface Validator {
  readonly operator: string;
  /** Operator's account; its self-delegation must not fall below minSelfDelegation. */
  readonly account: string;
  /** Base64 Ed25519 key and its bech32 address; '' while unknown. */
  publicKey: string;
  consensusAddress: string;
  tokens: bigint;
  shares: bigint;
  status: Status;
  jailed: boolean;
  unbondingTime: bigint;
  unbondingHeight: number;
  minSelfDelegation: bigint;
  /** Voting power in CometBFT; 0 outside its validator set. */
  power: number;
  /** Current period; `ratio` is cumulative at the end of the previous one. */
  period: number;
  ratio: Amounts;
  /** 10^-18 base units: earned this period, not yet paid out, and the operator's commission. */
  current: bigint[];
  outstanding: bigint[];
  commission: bigint[];
  readonly slashes: Slash[];
  readonly delegations: Delegations;
}

export interface UnbondingEntry {
  /** Identifies the entry within its pair: entries of one block are merged. */
  readonly creationHeight: number;
  readonly completion: bigint;
  readonly initialBalance: bigint;
  readonly balance: bigint;
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
  /** The record's own account, the delegator. */
  readonly account: string;
}

export interface StakingParameters {
  unbondingTime: bigint;
  maxValidators: number;
  slashFractionDowntime: bigint;
  slashFractionDoubleSign: bigint;
  /** Maximum number of validators that the interchain-security provider passes to CometBFT; 0 for all. */
  maxProviderConsensusValidators: number;
}

/** The handler runs before the block of this height. */
export interface UpgradePlan {
  readonly name: string;
  readonly height: number;
}

/** Changes by a passed proposal. A null plan cancels the current one. `unreadable` is the error of its messages. */
export type ProposedChanges = Partial<StakingParameters> & { upgradePlan?: UpgradePlan | null; unreadable?: string };

export interface Guess {
  /** Height, transaction and event; stable when blocks are folded again. */
  readonly id: string;
  readonly validator: string;
  readonly choice: number;
  readonly choices: number;
  /** True after a later delegation at the validator. */
  readonly hasEvidence: boolean;
}

export type Choices = ReadonlyMap<string, number>;

/** Undefined selects the first choice. */
export type ChoiceOf = (id: string) => number | undefined;

export type ModuleName = 'distribution' | 'bonded_tokens_pool' | 'not_bonded_tokens_pool';

export type SumName = Exclude<ModuleName, 'distribution'> | 'community_pool' | 'shares';

export interface HoldingsState {
  readonly sha256: Sha256;
  readonly journal: UndoJournal;
  /** Reward denoms; balances may have more. */
  readonly denoms: Denoms;
  readonly bondDenom: string;
  /** Last folded block: height, nanoseconds since 1970, day YYYY-MM-DD ('' before the first block). */
  height: number;
  time: bigint;
  day: string;
  readonly parameters: StakingParameters;
  readonly proposals: Map<string, ProposedChanges>;
  upgradePlan: UpgradePlan | null;
  /** Upgrades run since the starting state, ascending. */
  readonly upgrades: UpgradePlan[];
  readonly validators: Map<string, Validator>;
  readonly validatorsByConsensus: Map<string, Validator>;
  /** By validator, then delegator; entries may outlive the validator. */
  readonly unbondings: JournaledMap<string, JournaledMap<string, readonly UnbondingEntry[]>>;
  /** By source validator, then `delegator/destination`. */
  readonly redelegations: JournaledMap<string, JournaledMap<string, Redelegations>>;
  unbonding: bigint;
  readonly shareRecords: JournaledMap<string, ShareRecord>;
  /** By address; balances in base units by denom. */
  readonly moduleAccounts: Map<string, { readonly name: ModuleName; readonly balances: Map<string, bigint> }>;
  /** Differences in the starting state, in 10^-18, by `<sum> <denom or operator address>`. */
  readonly differences: Map<string, bigint>;
  guesses: Guess[];
}

/** Injected: the fold imports no cryptography. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

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

export interface Withdrawal {
  readonly validator: string;
  readonly delegator: string;
  readonly amount: string;
  readonly event: ChainEventRecord;
}

export interface BlockContext {
  readonly state: HoldingsState;
  readonly height: number;
  readonly time: bigint;
  readonly emit: Emit;
  readonly doubleSigns: readonly DoubleSign[];
  /** Queue; a rule that withdraws removes and compares the first entry. */
  readonly withdrawals: Withdrawal[];
  /** Burned by staking pools and not yet matched by a slash. */
  readonly burned: bigint[];
  /** True if the bonded set or the pools may have changed. */
  moved: boolean;
}
