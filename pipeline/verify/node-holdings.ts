/** Holdings of an account after a block, from a node's REST API. */
import type { LcdClient, ReadAnswer } from '../chain/nodes/lcd-client.js';
import { JsonItem } from '../holdings/values/json-item.js';
import { type AccountFacts, addEntry, noFacts } from './published-holdings.js';

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

const coin = (item: JsonItem): Coin => ({ denom: item.member('denom').text(), amount: item.member('amount').text() });
const validator = (item: JsonItem) => item.member('validator_address').address();

function delegation(item: JsonItem) {
  const its = item.member('delegation');
  const { amount } = coin(item.member('balance'));
  return { validator: validator(its), shares: its.member('shares').text(), amount };
}

const unbonding = (item: JsonItem) => ({
  validator: validator(item),
  entries: item
    .member('entries')
    .list()
    .map((entry) => ({ height: entry.member('creation_height').count(), balance: entry.member('balance').integer() })),
});

/** A node may return null for no coins. */
const reward = (item: JsonItem) => ({ validator: validator(item), coins: item.member('reward').list().map(coin) });

/**
 * Reads a list that a node always returns, even if empty. A response without it comes from something else, such as a
 * gateway.
 */
const listOf =
  <Element>(name: string, read: (item: JsonItem) => Element): ReadAnswer<Element[]> =>
  (answer) => {
    if (!(name in answer)) throw new Error(`answers without ${name}`);
    return new JsonItem(name, answer[name] ?? undefined).list().map(read);
  };

/** Sorts coins by denom. */
const coinsText = (coins: readonly Coin[]) =>
  [...coins]
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map(({ denom, amount }) => amount + denom)
    .join(',');

/**
 * @returns undefined if the node has pruned the height
 * @throws ConfigError if no node answers correctly
 */
export async function nodeHoldings(
  node: LcdClient,
  address: string,
  height: number,
): Promise<AccountFacts | undefined> {
  const facts = noFacts();
  const ask = async <Element>(path: string, read: ReadAnswer<Element[]>) =>
    (await node.pages(`/cosmos/${path}`, height, read))?.flat();
  const balances = await ask(`bank/v1beta1/balances/${address}`, listOf('balances', coin));
  if (!balances) return undefined;
  const delegator = `v1beta1/delegators/${address}`;
  const [delegations, unbondings, rewards] = await Promise.all([
    ask(`staking/v1beta1/delegations/${address}`, listOf('delegation_responses', delegation)),
    ask(`staking/${delegator}/unbonding_delegations`, listOf('unbonding_responses', unbonding)),
    ask(`distribution/${delegator}/rewards`, listOf('rewards', reward)),
  ]);
  for (const { denom, amount } of balances) facts.balances.set(denom, amount);
  for (const { validator, shares, amount } of delegations ?? []) {
    facts.delegations.set(validator, `${shares} shares, ${amount}`);
  }
  for (const { validator, entries } of unbondings ?? []) {
    for (const { height, balance } of entries) addEntry(facts, validator, height, balance);
  }
  for (const { validator, coins } of rewards ?? []) facts.rewards.set(validator, coinsText(coins));
  return facts;
}
