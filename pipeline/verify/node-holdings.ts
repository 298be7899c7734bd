/** Holdings of an account after a block, as a node says them. */
import type { LcdClient } from '../chain/nodes/lcd-client.js';
import { type AccountFacts, addEntry, noFacts } from './published-holdings.js';

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

interface Balances {
  readonly balances: readonly Coin[];
}

interface Delegations {
  readonly delegation_responses: readonly {
    readonly delegation: { readonly validator_address: string; readonly shares: string };
    readonly balance: Coin;
  }[];
}

interface Unbondings {
  readonly unbonding_responses: readonly {
    readonly validator_address: string;
    readonly entries: readonly { readonly creation_height: string; readonly balance: string }[];
  }[];
}

interface Rewards {
  readonly rewards: readonly { readonly validator_address: string; readonly reward: readonly Coin[] | null }[] | null;
}

/** A node's coins in the order of their denoms. */
const coinsText = (coins: readonly Coin[] | null) =>
  [...(coins ?? [])]
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map(({ denom, amount }) => amount + denom)
    .join(',');

/** Undefined when the node does not keep the state of that height. */
export async function nodeHoldings(
  node: LcdClient,
  address: string,
  height: number,
): Promise<AccountFacts | undefined> {
  const facts = noFacts();
  const balances = await node.pages<Balances>(`/cosmos/bank/v1beta1/balances/${address}`, height);
  if (!balances) return undefined;
  const [delegations, unbondings, rewards] = await Promise.all([
    node.pages<Delegations>(`/cosmos/staking/v1beta1/delegations/${address}`, height),
    node.pages<Unbondings>(`/cosmos/staking/v1beta1/delegators/${address}/unbonding_delegations`, height),
    node.pages<Rewards>(`/cosmos/distribution/v1beta1/delegators/${address}/rewards`, height),
  ]);
  for (const { denom, amount } of balances.flatMap((page) => page.balances)) facts.balances.set(denom, amount);
  for (const { delegation, balance } of (delegations ?? []).flatMap((page) => page.delegation_responses)) {
    facts.delegations.set(delegation.validator_address.toLowerCase(), `${delegation.shares} shares, ${balance.amount}`);
  }
  for (const { validator_address, entries } of (unbondings ?? []).flatMap((page) => page.unbonding_responses)) {
    for (const { creation_height, balance } of entries) {
      addEntry(facts, validator_address.toLowerCase(), creation_height, BigInt(balance));
    }
  }
  for (const { validator_address, reward } of (rewards ?? []).flatMap((page) => page.rewards ?? [])) {
    facts.rewards.set(validator_address.toLowerCase(), coinsText(reward));
  }
  return facts;
}
