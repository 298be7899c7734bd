/** Genesis or export of a model chain: as a file, and as the fold's state. */

import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { StartingState } from '../../../pipeline/holdings/start/starting-state.js';
import type { HoldingsState } from '../../../pipeline/holdings/state.js';
import { JsonItem } from '../../../pipeline/holdings/values/json-item.js';
import { formatTime } from '../holdings-facts.js';
import { BOND_DENOM, type Chain, type Entry, type Plan, type Proposal, type RewardRecord } from './chain.js';
import { type Coins, decimalText } from './decimal.js';

const decCoins = (coins: Coins) => [...coins].map(([denom, amount]) => ({ denom, amount: decimalText(amount) }));

type Take = (path: string, value: unknown) => void;

function takeStaking(take: Take, chain: Chain): void {
  for (const validator of chain.validators.values()) {
    take('staking.validators[]', {
      operator_address: validator.operator,
      description: { moniker: 'a validator' },
      consensus_pubkey: { key: validator.publicKey },
      jailed: validator.jailed,
      status: validator.status,
      tokens: String(validator.tokens),
      delegator_shares: decimalText(validator.shares),
      unbonding_height: String(validator.unbondingHeight),
      unbonding_time: formatTime(validator.unbondingTime),
      min_self_delegation: String(validator.minSelfDelegation),
      commission: { commission_rates: { rate: decimalText(validator.rate) } },
    });
  }
  for (const { delegator, operator, shares } of chain.delegations.values()) {
    const pair = { delegator_address: delegator, validator_address: operator };
    take('staking.delegations[]', { ...pair, shares: decimalText(shares) });
  }
}

const entryOf = ({ height, completion, initialBalance, balance, sharesDst }: Entry) => ({
  creation_height: String(height),
  completion_time: formatTime(completion),
  initial_balance: String(initialBalance),
  balance: String(balance),
  shares_dst: decimalText(sharesDst),
});

function takeEntries(take: Take, { unbondings, redelegations }: Chain): void {
  for (const { delegator, operator, entries } of unbondings.values()) {
    const pair = { delegator_address: delegator, validator_address: operator };
    take('staking.unbonding_delegations[]', { ...pair, entries: entries.map(entryOf) });
  }
  for (const { delegator, operator, destination, entries } of redelegations.values()) {
    const validators = { validator_src_address: operator, validator_dst_address: destination };
    const whose = { delegator_address: delegator, ...validators };
    take('staking.redelegations[]', { ...whose, entries: entries.map(entryOf) });
  }
}

function takeRewards(take: Take, validator_address: string, record: RewardRecord): void {
  const { period, current, outstanding, commission, historical, slashes } = record;
  const about = { validator_address };
  const list = (name: string, value: object) => take(`distribution.${name}[]`, { ...about, ...value });
  list('outstanding_rewards', { outstanding_rewards: decCoins(outstanding) });
  list('validator_accumulated_commissions', { accumulated: { commission: decCoins(commission) } });
  list('validator_current_rewards', { rewards: { rewards: decCoins(current), period: String(period) } });
  for (const [ended, { ratio, references }] of historical) {
    const rewards = { cumulative_reward_ratio: decCoins(ratio), reference_count: references };
    list('validator_historical_rewards', { period: String(ended), rewards });
  }
  for (const { height, period: ended, fraction } of slashes) {
    const event = { validator_period: String(ended), fraction: decimalText(fraction) };
    list('validator_slash_events', { height: String(height), period: String(ended), validator_slash_event: event });
  }
}

function takeExport(take: Take, chain: Chain): void {
  for (const [operator, record] of chain.rewards) takeRewards(take, operator, record);
  for (const [key, { period, stake, height }] of chain.startingInfos) {
    const [delegator_address, validator_address] = key.split(' ');
    const starting_info = { previous_period: String(period), stake: decimalText(stake), height: String(height) };
    take('distribution.delegator_starting_infos[]', { delegator_address, validator_address, starting_info });
  }
  takeEntries(take, chain);
  for (const [id, { owner, operator }] of chain.shareRecords) {
    take('liquid.tokenize_share_records[]', { id, owner, validator: operator });
  }
}

/** Opens the fold's state before the next block: from the genesis before any block, otherwise from an export. */
export function openFold(chain: Chain): HoldingsState {
  const starting = new StartingState(sha256);
  takeState((path, value) => starting.readers[path]!(new JsonItem(path, value)), chain);
  return starting.open();
}

/** The same as file content. */
export function stateFile(chain: Chain, chainId: string): object {
  const file: Record<string, unknown> = { chain_id: chainId };
  takeState((path, value) => {
    const isItem = path.endsWith('[]');
    const names = path.replace('[]', '').split('.');
    const last = names.pop()!;
    let parent = file;
    for (const name of names) {
      parent[name] ??= {};
      parent = parent[name] as Record<string, unknown>;
    }
    if (isItem) parent[last] = [...((parent[last] as unknown[]) ?? []), value];
    else parent[last] = value;
  }, chain);
  return file;
}

function takeState(read: Take, chain: Chain): void {
  const take: Take = (path, value) => read(`app_state.${path}`, value);
  const { unbondingTime, maxValidators, downtime, doubleSign } = chain.parameters;
  const duration = `${unbondingTime / 1_000_000_000n}.${String(unbondingTime % 1_000_000_000n).padStart(9, '0')}s`;
  read('initial_height', chain.height + 1);
  take('staking.exported', chain.height > 0);
  take('staking.params', { unbonding_time: duration, max_validators: maxValidators, bond_denom: BOND_DENOM });
  take('slashing.params', {
    slash_fraction_downtime: decimalText(downtime),
    slash_fraction_double_sign: decimalText(doubleSign),
  });
  const { providerLimit } = chain.parameters;
  if (providerLimit > 0) take('provider.params', { max_provider_consensus_validators: String(providerLimit) });
  takeStaking(take, chain);
  if (chain.height > 0) takeExport(take, chain);
  for (const [address, balance] of chain.balances) {
    const coins = [...balance].map(([denom, amount]) => ({ denom, amount: String(amount) }));
    take('bank.balances[]', { address, coins });
  }
  for (const [id, changes] of chain.proposals) take('gov.proposals[]', proposal(id, chain, changes));
  if (chain.plan) take('gov.proposals[]', passedPlan(chain.plan));
}

const softwareUpgrade = ({ name, height }: Plan) => ({
  '@type': '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade',
  plan: { name, height: String(height) },
});

/** x/upgrade exports nothing: the plan follows from the passed proposal. */
const passedPlan = (plan: Plan) => ({
  id: '1',
  status: 'PROPOSAL_STATUS_PASSED',
  voting_end_time: '2026-01-01T00:00:00Z',
  messages: [softwareUpgrade(plan)],
});

/** Messages of a proposal about upgrades or the provider; undefined for other parameters. */
function otherMessages({ plan, providerLimit }: Proposal): object[] | undefined {
  if (plan) return [softwareUpgrade(plan)];
  if (plan === null) return [{ '@type': '/cosmos.upgrade.v1beta1.MsgCancelUpgrade' }];
  if (providerLimit === undefined) return undefined;
  const params = { max_provider_consensus_validators: String(providerLimit) };
  return [{ '@type': '/interchain_security.ccv.provider.v1.MsgUpdateParams', params }];
}

function proposal(id: number, { parameters }: Chain, changes: Proposal) {
  const { unbondingTime, maxValidators, downtime, doubleSign } = { ...parameters, ...changes };
  const duration = `${unbondingTime / 1_000_000_000n}.${String(unbondingTime % 1_000_000_000n).padStart(9, '0')}s`;
  const staking = { unbonding_time: duration, max_validators: maxValidators };
  const slashing = {
    slash_fraction_downtime: decimalText(downtime),
    slash_fraction_double_sign: decimalText(doubleSign),
  };
  return {
    id: String(id),
    status: 'PROPOSAL_STATUS_VOTING_PERIOD',
    messages: otherMessages(changes) ?? [
      { '@type': '/cosmos.staking.v1beta1.MsgUpdateParams', params: staking },
      { '@type': '/cosmos.slashing.v1beta1.MsgUpdateParams', params: slashing },
    ],
  };
}
