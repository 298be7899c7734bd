/** The chain's delegations and validators after a block. */
import type {
  BalanceCorrection,
  BlockNanos,
  DelegationSpan,
  RewardPayment,
  RewardRatio,
  SlashLoss,
  UnbondingInterval,
  ValidatorDay,
  ValidatorEdge,
  ValidatorRate,
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

/**
 * Units in this file: shares, stakes, fractions and ratios are decimals × 10^18; tokens and balances are base units;
 * times are nanoseconds since 1970.
 */
export interface Slash {
  readonly height: number;
  readonly period: number;
  /** Fraction of the tokens that was burned. It may differ from the slashing parameter. */
  readonly fraction: bigint;
  readonly ratio: Amounts;
}

export interface Validator {
  readonly operator: string;
  readonly account: string;
  publicKey: string;
  consensusAddress: string;
  tokens: bigint;
  shares: bigint;
  status: Status;
  jailed: boolean;
  unbondingTime: bigint;
  unbondingHeight: number;
  minSelfDelegation: bigint;
  /** The rate that the starting state or the last message set; null if unknown. */
  commissionRate: bigint | null;
  /**
   * The last reward in the bond denom since the rate was set, and the commission on it, in 10^-18 base units; 0 if
   * there is none.
   */
  lastReward: bigint;
  lastCommission: bigint;
  /** Voting power in CometBFT; 0 for validators that CometBFT does not have. */
  power: number;
  /**
   * Number of the current reward period. `ratio` is the cumulative reward per token at the end of the previous period.
   */
  period: number;
  ratio: Amounts;
  /** Rewards of the current period, in 10^-18 base units by denom number. */
  current: bigint[];
  outstanding: bigint[];
  commission: bigint[];
  readonly slashes: Slash[];
  readonly delegations: Delegations;
}

export interface UnbondingEntry {
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
  readonly account: string;
}

export interface StakingParameters {
  unbondingTime: bigint;
  maxValidators: number;
  slashFractionDowntime: bigint;
  slashFractionDoubleSign: bigint;
  /** Maximum number of validators with power in CometBFT; 0 means no limit. */
  maxProviderConsensusValidators: number;
}

export interface UpgradePlan {
  readonly name: string;
  readonly height: number;
}

/**
 * Changes that a proposal makes if it passes. A null plan cancels the current upgrade plan. `unreadable` is the
 * decoding error.
 */
export type ProposedChanges = Partial<StakingParameters> & { upgradePlan?: UpgradePlan | null; unreadable?: string };

export interface Guess {
  readonly id: string;
  readonly validator: string;
  readonly choice: number;
  readonly choices: number;
  /** True after a later delegation to the guess's validator, which makes a test of the guess possible. */
  readonly hasEvidence: boolean;
}

export type Choices = ReadonlyMap<string, number>;

export type ChoiceOf = (id: string) => number | undefined;

export type ModuleName = 'distribution' | 'bonded_tokens_pool' | 'not_bonded_tokens_pool';

export type SumName = Exclude<ModuleName, 'distribution'> | 'community_pool' | 'shares';

export interface HoldingsState {
  readonly sha256: Sha256;
  readonly journal: UndoJournal;
  readonly denoms: Denoms;
  readonly bondDenom: string;
  height: number;
  time: bigint;
  day: string;
  readonly parameters: StakingParameters;
  readonly proposals: Map<string, ProposedChanges>;
  upgradePlan: UpgradePlan | null;
  readonly upgrades: UpgradePlan[];
  readonly validators: Map<string, Validator>;
  readonly validatorsByConsensus: Map<string, Validator>;
  readonly unbondings: JournaledMap<string, JournaledMap<string, readonly UnbondingEntry[]>>;
  /** Redelegations by source validator, then by `<delegator>/<destination validator>`. */
  readonly redelegations: JournaledMap<string, JournaledMap<string, Redelegations>>;
  unbonding: bigint;
  readonly shareRecords: JournaledMap<string, ShareRecord>;
  readonly moduleAccounts: Map<string, { readonly name: ModuleName; readonly balances: Map<string, bigint> }>;
  /** Allowed differences of sums (check-sums.ts), × 10^18, by `<sum> <denom or operator>`. */
  readonly differences: Map<string, bigint>;
  guesses: Guess[];
}

export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export interface HoldingsTables {
  delegation_spans: DelegationSpan;
  reward_ratios: RewardRatio;
  reward_payments: RewardPayment;
  validator_days: ValidatorDay;
  validator_edges: ValidatorEdge;
  validator_rates: ValidatorRate;
  block_nanos: BlockNanos;
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

/** Tokens in base units, and shares × 10^18. */
export type Rate = Pick<Validator, 'tokens' | 'shares'>;

export interface BlockContext {
  readonly state: HoldingsState;
  readonly height: number;
  readonly time: bigint;
  readonly emit: Emit;
  readonly doubleSigns: readonly DoubleSign[];
  /** Withdrawal events, in order, that have not been compared with a computed withdrawal yet. */
  readonly withdrawals: Withdrawal[];
  /** Base units burned from the staking pools that have not been assigned to a slash yet. */
  readonly burned: bigint[];
  /** Tokens and shares before the block of each validator whose tokens or shares the block has changed. */
  readonly ratesBefore: Map<string, Rate>;
  /** True if validators or staking pools may have changed, so they must be checked at the end of the block. */
  moved: boolean;
}

export interface StateMark {
  readonly journal: number;
  readonly denoms: number;
  readonly rest: Partial<HoldingsState>;
  readonly validators: readonly (readonly [validator: Validator, fields: Validator])[];
}

/** Saves the state. The mark is valid until the state returns to an earlier mark. */
export function markState(state: HoldingsState): StateMark {
  return {
    journal: state.journal.mark(),
    denoms: state.denoms.size,
    rest: structuredClone(restOf(state)),
    validators: [...state.validators.values()].map((validator) => [validator, copyFields(validator)]),
  };
}

export function returnToMark(state: HoldingsState, { journal, denoms, rest, validators }: StateMark): void {
  state.journal.undo(journal);
  state.denoms.cut(denoms);
  Object.assign(state, structuredClone(rest));
  state.validators.clear();
  state.validatorsByConsensus.clear();
  for (const [validator, fields] of validators) {
    Object.assign(validator, copyFields(fields));
    state.validators.set(validator.operator, validator);
    state.validatorsByConsensus.set(validator.consensusAddress, validator);
  }
}

function restOf(state: HoldingsState): Partial<HoldingsState> {
  const { sha256, denoms, journal, validators, validatorsByConsensus, ...others } = state;
  const { unbondings, redelegations, shareRecords, ...rest } = others;
  return rest;
}

function copyFields(validator: Validator): Validator {
  const fields = Object.entries(validator).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(fields) as Validator;
}
