/**
 * Builds the state before the first block from a genesis or an export. Reads one list item at a time, so that the state
 * can be built from files of several gigabytes. Lists may come in any order.
 */

import type { StartingDifference } from '../../../schemas/types.generated.js';
import { keepDifferences } from '../check-sums.js';
import { type Delegation, Delegations, packedNumbers } from '../delegations.js';
import { delegate, endPeriod, newDelegation } from '../modules/delegation.js';
import {
  addressPrefix,
  electValidators,
  moduleAccount,
  newValidator,
  shareRecordAccount,
  startConsensusPowers,
  updateValidatorSet,
} from '../modules/validator.js';
import { exportedChanges, exportedParameters } from '../rules/proposals.js';
import {
  type BlockContext,
  BONDED,
  type HoldingsState,
  type ModuleName,
  type Redelegations,
  type Sha256,
  type StakingParameters,
  type Status,
  UNBONDED,
  UNBONDING,
  type UnbondingEntry,
  type UpgradePlan,
  type Validator,
} from '../state.js';
import { JournaledMap, UndoJournal } from '../undo-journal.js';
import { type Amounts, addCoins, addTo, Denoms } from '../values/decimal18.js';
import { type JsonItem, StartingStateError } from '../values/json-item.js';
import { parseTime } from '../values/time.js';

/** A token's symbol and name, which are untrusted texts. */
export interface TokenIdentity {
  readonly denom: string;
  readonly symbol: string;
  readonly name: string;
}

export interface StartListener {
  /**
   * Receives a balance in base units. Genesis transactions later report changes of this balance, positive or negative.
   */
  onBalance(address: string, denom: string, amount: bigint): void;
  onDeposit(proposal: string, address: string, denom: string, amount: bigint): void;
  onValidator(operator: string, moniker: string): void;
  onIdentity(identity: TokenIdentity): void;
  onVoucherTrace(trace: string): void;
}

const IGNORE: StartListener = {
  onBalance() {},
  onDeposit() {},
  onValidator() {},
  onIdentity() {},
  onVoucherTrace() {},
};

export interface Start {
  readonly chainId: string;
  readonly height: number;
  readonly oversized: readonly string[];
  readonly differences: readonly StartingDifference[];
  readonly identities: readonly TokenIdentity[];
  readonly voucherTraces: readonly string[];
}

const MODULES: readonly ModuleName[] = ['distribution', 'bonded_tokens_pool', 'not_bonded_tokens_pool'];

export class StartingState {
  private readonly state: HoldingsState;
  private readonly listener: StartListener;
  private readonly drafts = new Map<string, ValidatorDraft>();
  private exported: boolean | undefined;
  private readonly parameters: Partial<StakingParameters> = {};
  private readonly passedPlans = new PassedPlans();
  private readonly transactions = new GenesisTransactions();
  private bondDenom = '';
  private height: number | undefined;
  private feePool: ReadonlyMap<string, bigint> | undefined;
  /** True if a delegation began after height 0. The file is then not the start of a new chain. */
  private isTouched = false;
  chainId = '';

  constructor(sha256: Sha256, listener: Partial<StartListener> = {}) {
    this.listener = { ...IGNORE, ...listener };
    const journal = new UndoJournal();
    this.state = {
      sha256,
      journal,
      denoms: new Denoms(),
      bondDenom: '',
      height: 0,
      time: 0n,
      day: '',
      parameters: {
        unbondingTime: 0n,
        maxValidators: 0,
        slashFractionDowntime: 0n,
        slashFractionDoubleSign: 0n,
        maxProviderConsensusValidators: 0,
      },
      proposals: new Map(),
      upgradePlan: null,
      upgrades: [],
      validators: new Map(),
      validatorsByConsensus: new Map(),
      unbondings: new JournaledMap(journal),
      redelegations: new JournaledMap(journal),
      unbonding: 0n,
      shareRecords: new JournaledMap(journal),
      moduleAccounts: new Map(),
      differences: new Map(),
      guesses: [],
    };
  }

  /** Functions that read the file's values, by JSON path. [] stands for each item of a list. */
  readonly readers: Readonly<Record<string, (item: JsonItem) => void>> = {
    chain_id: (item) => {
      this.chainId = item.text();
    },
    initial_height: (item) => {
      this.height = item.count() - 1;
      if (this.height < 0)
        throw new StartingStateError(`${item.path} is 0, not the height of the first block after the state`);
    },
    'app_state.staking.exported': (item) => {
      this.exported = item.boolean();
    },
    'app_state.staking.params': (item) => {
      Object.assign(this.parameters, exportedParameters.staking(item));
      this.bondDenom = item.member('bond_denom').text();
    },
    'app_state.slashing.params': (item) => {
      Object.assign(this.parameters, exportedParameters.slashing(item));
    },
    'app_state.provider.params': (item) => {
      Object.assign(this.state.parameters, exportedParameters.provider(item));
    },
    'app_state.staking.validators[]': (item) => {
      this.draftOf(item, 'operator_address').validator = item;
      const moniker = item.member('description').member('moniker').text();
      this.listener.onValidator(item.member('operator_address').address(), moniker);
    },
    'app_state.staking.delegations[]': (item) => {
      this.addToDelegation(item, { shares: item.member('shares').decimal() });
    },
    'app_state.distribution.fee_pool': (item) => {
      const coins = item.member('community_pool').list();
      this.feePool = new Map(coins.map((coin) => [coin.member('denom').text(), coin.member('amount').decimal()]));
    },
    'app_state.distribution.delegator_starting_infos[]': (item) => this.takeStartingInfo(item),
    'app_state.distribution.outstanding_rewards[]': (item) => {
      this.addRewards(this.draftOf(item).outstanding, item.member('outstanding_rewards'));
    },
    'app_state.distribution.validator_accumulated_commissions[]': (item) => {
      this.addRewards(this.draftOf(item).commission, item.member('accumulated').member('commission'));
    },
    'app_state.distribution.validator_current_rewards[]': (item) => {
      const draft = this.draftOf(item);
      draft.period = item.member('rewards').member('period').count();
      this.addRewards(draft.current, item.member('rewards').member('rewards'));
    },
    'app_state.distribution.validator_historical_rewards[]': (item) => {
      const ratio: bigint[] = [];
      this.addRewards(ratio, item.member('rewards').member('cumulative_reward_ratio'));
      this.draftOf(item).ratios.set(item.member('period').count(), packedNumbers.pack(ratio));
    },
    'app_state.distribution.validator_slash_events[]': (item) => {
      const event = item.member('validator_slash_event');
      const [height, period] = [item.member('height').count(), event.member('validator_period').count()];
      this.draftOf(item).slashes.push({ height, period, fraction: event.member('fraction').decimal() });
    },
    'app_state.staking.unbonding_delegations[]': (item) => this.takeUnbonding(item),
    'app_state.staking.redelegations[]': (item) => this.takeRedelegation(item),
    'app_state.liquid.tokenize_share_records[]': (item) => {
      const [owner, validator] = [item.member('owner').address(), item.member('validator').address()];
      const id = item.member('id').text();
      const account = shareRecordAccount(id, addressPrefix(validator), this.state.sha256);
      this.state.shareRecords.set(id, { owner, validator, account });
    },
    'app_state.gov.proposals[]': (item) => this.takeProposal(item),
    'app_state.gov.deposits[]': (item) => {
      const [proposal, address] = [item.member('proposal_id').text(), item.member('depositor').address()];
      for (const coin of item.member('amount').list()) {
        this.listener.onDeposit(proposal, address, coin.member('denom').text(), coin.member('amount').integer());
      }
    },
    'app_state.bank.balances[]': (item) => this.takeBalances(item),
    'app_state.bank.denom_metadata[]': (item) => this.listener.onIdentity(readIdentity(item)),
    'app_state.transfer.denoms[]': (item) => this.listener.onVoucherTrace(readVoucherTrace(item)),
    'app_state.genutil.gen_txs[]': (item) => this.transactions.take(item),
  };

  open(): HoldingsState {
    const { state, parameters, height, exported, bondDenom } = this;
    if (height === undefined || exported === undefined || bondDenom === '' || Object.keys(parameters).length < 4) {
      throw new StartingStateError('initial_height, app_state.staking or app_state.slashing is missing');
    }
    if (exported) rejectZeroHeightExport(height, this.isTouched, this.drafts.values());
    Object.assign(state, { height, bondDenom, upgradePlan: this.passedPlans.planAfter(height) });
    Object.assign(state.parameters, parameters);
    for (const [operator, draft] of this.drafts) {
      this.drafts.delete(operator); // frees the memory of the validator's ratios
      openValidator(state, operator, draft, exported);
    }
    this.transactions.run(state, this.listener);
    startConsensusPowers(state);
    keepDifferences(state, this.feePool);
    for (const pairs of state.unbondings.values()) {
      for (const [delegator, entries] of pairs) {
        pairs.set(
          delegator,
          entries.map((entry) => ({ ...entry, since: height })),
        );
      }
    }
    return state;
  }

  private draftOf(item: JsonItem, member = 'validator_address'): ValidatorDraft {
    const operator = item.member(member).address();
    let draft = this.drafts.get(operator);
    if (!draft) {
      draft = newDraft(this.state.journal);
      this.drafts.set(operator, draft);
    }
    return draft;
  }

  /** Merges fields into a delegation. The file has its shares and its starting info in different lists. */
  private addToDelegation(item: JsonItem, fields: Partial<Delegation>): void {
    const { delegations } = this.draftOf(item);
    const delegator = item.member('delegator_address').address();
    const delegation = delegations.get(delegator) ?? { shares: 0n, period: 0, stake: 0n, height: 0, ratio: [] };
    delegations.set(delegator, { ...delegation, ...fields });
  }

  private addRewards(sum: bigint[], coins: JsonItem): void {
    for (const coin of coins.list()) {
      const denom = this.state.denoms.number(coin.member('denom').text());
      const amount = coin.member('amount').decimal();
      addTo(sum, denom, amount);
    }
  }

  private takeStartingInfo(item: JsonItem): void {
    const info = item.member('starting_info');
    const height = info.member('height').count();
    this.isTouched ||= height > 0;
    this.addToDelegation(item, {
      period: info.member('previous_period').count(),
      stake: info.member('stake').decimal(),
      height,
    });
  }

  private takeUnbonding(item: JsonItem): void {
    const delegator = item.member('delegator_address').address();
    const operator = item.member('validator_address').address();
    const { journal } = this.state;
    const pairs = this.state.unbondings.get(operator) ?? new JournaledMap<string, readonly UnbondingEntry[]>(journal);
    this.state.unbondings.set(operator, pairs);
    const entries = item
      .member('entries')
      .list()
      .map((entry) => ({
        ...readEntry(entry),
        balance: entry.member('balance').integer(),
        since: 0,
      }));
    for (const { balance } of entries) this.state.unbonding += balance;
    pairs.set(delegator, entries);
  }

  private takeRedelegation(item: JsonItem): void {
    const [delegator, source, destination] = ['delegator', 'validator_src', 'validator_dst'].map((whose) =>
      item.member(`${whose}_address`).address(),
    ) as [string, string, string];
    const entries = item
      .member('entries')
      .list()
      .map((entry) => ({
        ...readEntry(entry),
        destinationShares: entry.member('shares_dst').decimal(),
      }));
    const { journal } = this.state;
    const ofSource = this.state.redelegations.get(source) ?? new JournaledMap<string, Redelegations>(journal);
    this.state.redelegations.set(source, ofSource);
    ofSource.set(`${delegator}/${destination}`, { delegator, destination, entries });
  }

  private takeProposal(item: JsonItem): void {
    const status = item.member('status').text();
    if (status === 'PROPOSAL_STATUS_PASSED') this.passedPlans.take(item);
    if (!['PROPOSAL_STATUS_DEPOSIT_PERIOD', 'PROPOSAL_STATUS_VOTING_PERIOD'].includes(status)) return;
    const changes = exportedChanges(item.member('messages').list());
    if (Object.keys(changes).length > 0) this.state.proposals.set(item.member('id').text(), changes);
  }

  private takeBalances(item: JsonItem): void {
    const { moduleAccounts, sha256 } = this.state;
    const address = item.member('address').address();
    if (moduleAccounts.size === 0) {
      for (const name of MODULES) {
        moduleAccounts.set(moduleAccount(name, addressPrefix(address), sha256), { name, balances: new Map() });
      }
    }
    const account = moduleAccounts.get(address);
    for (const coin of item.member('coins').list()) {
      const [denom, amount] = [coin.member('denom').text(), coin.member('amount').integer()];
      account?.balances.set(denom, amount);
      this.listener.onBalance(address, denom, amount);
    }
  }
}

function readEntry(entry: JsonItem) {
  return {
    creationHeight: entry.member('creation_height').count(),
    completion: parseTime(entry.member('completion_time').text()),
    initialBalance: entry.member('initial_balance').integer(),
  };
}

/**
 * Rejects a file made by `export --for-zero-height`, because such a file starts a new chain. It has height 0, or all
 * its delegations begin at height 0 and there are no unpaid rewards.
 * @param height one below initial_height
 * @throws StartingStateError
 */
function rejectZeroHeightExport(height: number, isTouched: boolean, drafts: Iterable<ValidatorDraft>): void {
  const owesNothing = ({ outstanding, slashes }: ValidatorDraft) =>
    slashes.length === 0 && outstanding.every((amount) => amount === 0n);
  if (height > 0 && (isTouched || ![...drafts].every(owesNothing))) return;
  throw new StartingStateError(
    'this is an export for a new chain (--for-zero-height), which has paid out all rewards and forgotten all heights: ' +
      'export the state without that option',
  );
}

class PassedPlans {
  private readonly passed: { readonly decided: bigint; readonly id: bigint; readonly plan: UpgradePlan | null }[] = [];

  take(proposal: JsonItem): void {
    const { upgradePlan: plan } = exportedChanges(proposal.member('messages').list());
    if (plan === undefined) return;
    const decided = parseTime(proposal.member('voting_end_time').text());
    this.passed.push({ decided, id: proposal.member('id').integer(), plan });
  }

  /**
   * Returns the upgrade plan that is valid after this height. It comes from the last passed proposal, because x/upgrade
   * does not export plans. Null if this proposal cancelled the plan, or if the upgrade has already run.
   */
  planAfter(height: number): UpgradePlan | null {
    this.passed.sort((a, b) => Number(a.decided - b.decided) || Number(a.id - b.id));
    const plan = this.passed.at(-1)?.plan ?? null;
    return plan && plan.height > height ? plan : null;
  }
}

const readIdentity = (item: JsonItem): TokenIdentity => ({
  denom: item.member('base').textOr(''),
  symbol: item.member('symbol').textOr(''),
  name: item.member('name').textOr(''),
});

/** Returns `<port>/<channel>/…/<original denom>`. */
function readVoucherTrace(item: JsonItem): string {
  const hops = item.member('trace').list();
  const parts = hops.flatMap((hop) => [hop.member('port_id').text(), hop.member('channel_id').text()]);
  return [...parts, item.member('base').text()].join('/');
}

const STATUSES: Readonly<Record<string, Status>> = {
  BOND_STATUS_UNBONDED: UNBONDED,
  BOND_STATUS_UNBONDING: UNBONDING,
  BOND_STATUS_BONDED: BONDED,
};

interface ValidatorDraft {
  validator: JsonItem | undefined;
  period: number;
  /**
   * Reward ratio at the end of each period, by period. Ratios are packed, because there are almost as many ratios as
   * delegations.
   */
  readonly ratios: Map<number, string>;
  readonly current: bigint[];
  readonly outstanding: bigint[];
  readonly commission: bigint[];
  readonly slashes: { height: number; period: number; fraction: bigint }[];
  readonly delegations: Delegations;
}

function newDraft(journal: UndoJournal): ValidatorDraft {
  return {
    validator: undefined,
    period: 1,
    ratios: new Map(),
    current: [],
    outstanding: [],
    commission: [],
    slashes: [],
    delegations: new Delegations(journal),
  };
}

function openValidator(state: HoldingsState, operator: string, draft: ValidatorDraft, exported: boolean): void {
  const { validator: item, current, outstanding, commission, delegations } = draft;
  if (!item) {
    if (delegations.size === 0) return; // the validator has been removed, and only its rewards remain
    throw new StartingStateError(`app_state.staking.validators has no ${operator}, which has delegations`);
  }
  const validator = newValidator(state, operator, item.member('consensus_pubkey').member('key').text());
  readValidator(validator, item);
  Object.assign(validator, { current, outstanding, commission, delegations });
  if (exported) openExported(validator, draft);
  else openGenesisDelegations(validator);
}

/** Replaces the period number of each delegation and slash by the reward ratio at the period's end. */
function openExported(validator: Validator, { period, ratios, slashes, delegations }: ValidatorDraft): void {
  const { operator } = validator;
  const ratioOf = (of: number): Amounts => {
    const ratio = ratios.get(of);
    if (ratio !== undefined) return packedNumbers.unpack(ratio);
    throw new StartingStateError(`app_state.distribution.validator_historical_rewards has no ${of} of ${operator}`);
  };
  Object.assign(validator, { period, ratio: ratioOf(period - 1) });
  validator.slashes.push(...slashes.map((slash) => ({ ...slash, ratio: ratioOf(slash.period) })));
  validator.slashes.sort((a, b) => a.period - b.period);
  for (const [delegator, delegation] of delegations) {
    if (delegation.shares === 0n || delegation.period === 0) {
      throw new StartingStateError(`${delegator} at ${operator} has no delegation or no starting info`);
    }
    delegations.set(delegator, { ...delegation, ratio: ratioOf(delegation.period) });
  }
}

function readValidator(validator: Validator, item: JsonItem): void {
  const status = STATUSES[item.member('status').text()];
  if (status === undefined) throw new StartingStateError(`${item.path}.status is not known`);
  validator.tokens = item.member('tokens').integer();
  validator.shares = item.member('delegator_shares').decimal();
  validator.status = status;
  validator.jailed = item.member('jailed').boolean();
  validator.unbondingTime = parseTime(item.member('unbonding_time').text());
  validator.unbondingHeight = item.member('unbonding_height').count();
  validator.minSelfDelegation = item.member('min_self_delegation').integer();
  const rates = item.member('commission').optional('commission_rates');
  validator.commissionRate = rates.optional('rate').decimalOrNull();
}

/** Begins all delegations at height 0, in the file's order, as the chain does with a genesis. */
function openGenesisDelegations(validator: Validator): void {
  for (const [delegator, shares] of validator.delegations.shares()) {
    endPeriod(validator);
    validator.delegations.set(delegator, newDelegation(validator, shares, 0));
  }
}

const CREATE_VALIDATOR = '/cosmos.staking.v1beta1.MsgCreateValidator';

/** Runs genesis transactions, which create validators but emit no events (x/genutil DeliverGenTxs). */
class GenesisTransactions {
  private readonly creations: JsonItem[] = [];

  /** @throws StartingStateError for a message other than MsgCreateValidator, as on the chain */
  take(transaction: JsonItem): void {
    const messages = transaction.member('body').member('messages');
    for (const message of messages.list()) {
      const type = message.member('@type').text();
      if (type !== CREATE_VALIDATOR)
        throw new StartingStateError(`${message.path} is a ${type}, not a ${CREATE_VALIDATOR}`);
      this.creations.push(message);
    }
  }

  run(state: HoldingsState, listener: StartListener): void {
    const [withdrawals, burned] = [[], []];
    const at = { height: 0, time: 0n, emit: () => {}, doubleSigns: [], moved: false };
    const context: BlockContext = { state, ...at, withdrawals, burned, ratesBefore: new Map() };
    const founded = this.creations.map((message) => create(context, message, listener));
    if (founded.length > 0) updateValidatorSet(context, electValidators(context.state));
    for (const { account, status, tokens } of founded) {
      listener.onBalance(account, state.bondDenom, -tokens);
      const pool = status === BONDED ? 'bonded_tokens_pool' : 'not_bonded_tokens_pool';
      for (const [address, { name, balances }] of state.moduleAccounts) {
        if (name !== pool) continue;
        addCoins(balances, `${tokens}${state.bondDenom}`);
        listener.onBalance(address, state.bondDenom, tokens);
      }
    }
  }
}

function create(context: BlockContext, message: JsonItem, listener: StartListener) {
  const operator = message.member('validator_address').address();
  const validator = newValidator(context.state, operator, message.member('pubkey').member('key').text());
  validator.minSelfDelegation = message.member('min_self_delegation').integer();
  validator.commissionRate = message.member('commission').optional('rate').decimalOrNull();
  delegate(context, validator, validator.account, message.member('value').member('amount').integer());
  listener.onValidator(operator, message.member('description').member('moniker').text());
  return validator;
}
