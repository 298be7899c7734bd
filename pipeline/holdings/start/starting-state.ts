/**
 * A genesis or an export of the chain → the state before the first block. Takes the lists item by item and in any order,
 * so that files of gigabytes never lie in memory whole.
 */

import { keepDifferences } from '../check-sums.js';
import type { Delegation } from '../delegations.js';
import { addressPrefix, moduleAccount, shareRecordAccount } from '../modules/addresses.js';
import { startConsensusPowers } from '../modules/validator.js';
import { exportedChanges, providerParameters, slashingParameters, stakingParameters } from '../parameters.js';
import type { HoldingsState, ModuleName, Redelegations, Sha256, StakingParameters, UnbondingEntry } from '../state.js';
import { JournaledMap, UndoJournal } from '../undo-journal.js';
import { addTo, Denoms } from '../values/dec-coins.js';
import { type JsonItem, StartingStateError } from '../values/json-item.js';
import { packNumbers } from '../values/packed-numbers.js';
import { parseTime } from '../values/time.js';
import { GenesisTransactions } from './genesis-transactions.js';
import { refuseNewChain } from './new-chain.js';
import { PassedPlans } from './passed-plans.js';
import { DEAF, type StartListener } from './start-listener.js';
import { readIdentity, readVoucherTrace } from './token-identity.js';
import { newDraft, openValidator, type ValidatorDraft } from './validator-draft.js';

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
  /** The community pool as the file has it, in 10^-18 base units by denom. */
  private feePool: ReadonlyMap<string, bigint> | undefined;
  /** Whether any delegation began after height 0. */
  private isTouched = false;
  /** Network id of the file. */
  chainId = '';

  constructor(sha256: Sha256, listener: Partial<StartListener> = {}) {
    this.listener = { ...DEAF, ...listener };
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

  /** Readers of the file's values: path of a value, or of a list's items with [] at its end → how it is taken. */
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
      Object.assign(this.parameters, stakingParameters(item));
      this.bondDenom = item.member('bond_denom').text();
    },
    'app_state.slashing.params': (item) => {
      Object.assign(this.parameters, slashingParameters(item));
    },
    'app_state.provider.params': (item) => {
      Object.assign(this.state.parameters, providerParameters(item));
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
      this.draftOf(item).ratios.set(item.member('period').count(), packNumbers(ratio));
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

  /**
   * The state, once everything is taken.
   * @throws StartingStateError when something is missing
   */
  open(): HoldingsState {
    const { state, parameters, height, exported, bondDenom } = this;
    if (height === undefined || exported === undefined || bondDenom === '' || Object.keys(parameters).length < 4) {
      throw new StartingStateError('initial_height, app_state.staking or app_state.slashing is not there');
    }
    if (exported) refuseNewChain(height, this.isTouched, this.drafts.values());
    Object.assign(state, { height, bondDenom, upgradePlan: this.passedPlans.planAfter(height) });
    Object.assign(state.parameters, parameters);
    for (const [operator, draft] of this.drafts) {
      this.drafts.delete(operator); // each holds ratios that its delegations have of their own then
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

  /** A delegation's shares and its starting info stand in different lists. */
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
