/** Compares a dataset's holdings with a node's state. */
import type { NodeAddress } from '../../chain/nodes/endpoint.js';
import { LcdClient, type ReadReply } from '../../chain/nodes/lcd-client.js';
import { chainFacts } from '../../classify/chain-facts.js';
import { JsonItem } from '../../holdings/values/json-item.js';
import { loadReference } from '../../reference.js';
import { type AccountFacts, addEntry, type Facts, KINDS, noFacts, PublishedHoldings } from './published-holdings.js';
import type { Check } from './verify.js';

const HEIGHTS = 3;

/**
 * Yields a check for each account and kind of holdings: balances, delegations, unbonding entries and exact unclaimed
 * rewards. Compares them at up to three heights: the last blocks of the dataset's last day and of earlier days. Skips
 * heights that the node has pruned.
 * @param lcdUrls at least one
 * @param sampleSize number of accounts, delegators first
 * @throws ConfigError if the dataset has no holdings or no node responds
 */
export async function* verifyAgainstNode(
  folder: string,
  lcdUrls: readonly NodeAddress[],
  sampleSize: number,
): AsyncGenerator<Check> {
  const node = new LcdClient(lcdUrls);
  const published = await PublishedHoldings.open(folder);
  try {
    const { chain, contracts } = loadReference();
    const accounts = await published.sample(sampleSize, chainFacts(chain, contracts));
    const heights = await heightsOf(node, published, accounts[0]!);
    yield {
      ok: heights.length > 0,
      text: `node: has the state of heights ${heights.join(', ') || '(none of the indexed days)'}`,
    };
    for (const height of heights) yield* compare(node, published, accounts, height);
  } finally {
    published.close();
  }
}

/**
 * Returns heights at which the node still has state: the last block of the last day, and the last blocks of other days
 * throughout the index.
 */
async function heightsOf(node: LcdClient, published: PublishedHoldings, account: string): Promise<number[]> {
  const closes = await published.closes();
  const known: number[] = [];
  for (const height of [...closes.slice(-1), ...spread(closes.slice(0, -1))]) {
    if (known.length === HEIGHTS) break;
    if (await nodeHoldings(node, account, height)) known.push(height);
  }
  return known;
}

/** Yields the middle element, then the middle of each half, and so on. */
function* spread(list: readonly number[]): Generator<number> {
  const parts = [list];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part.length === 0) continue;
    const middle = part.length >> 1;
    yield part[middle]!;
    parts.push(part.slice(middle + 1), part.slice(0, middle));
  }
}

async function* compare(
  node: LcdClient,
  published: PublishedHoldings,
  accounts: readonly string[],
  height: number,
): AsyncGenerator<Check> {
  const ours = await published.at(height, accounts);
  for (const account of accounts) {
    const theirs = await nodeHoldings(node, account, height);
    for (const kind of KINDS) {
      const differences = theirs
        ? differencesOf(ours.get(account)![kind], theirs[kind])
        : ['the node has pruned this height'];
      const text = `${account} at ${height}: ${kind}`;
      yield { ok: differences.length === 0, text: [text, ...differences].join('\n  ') };
    }
  }
}

function differencesOf(ours: Facts, theirs: Facts): string[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => (ours.get(name) ?? '') !== (theirs.get(name) ?? ''))
    .map((name) => `${name}: ${ours.get(name) || 'nothing'}, the node has ${theirs.get(name) || 'nothing'}`);
}

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

const coin = (item: JsonItem): Coin => ({ denom: item.member('denom').text(), amount: item.member('amount').text() });
export const validator = (item: JsonItem) => item.member('validator_address').address();

export function delegation(item: JsonItem) {
  const its = item.member('delegation');
  const { amount } = coin(item.member('balance'));
  return { validator: validator(its), shares: its.member('shares').text(), amount };
}

export const unbonding = (item: JsonItem) => ({
  validator: validator(item),
  entries: item
    .member('entries')
    .list()
    .map((entry) => ({ height: entry.member('creation_height').count(), balance: entry.member('balance').integer() })),
});

/** If an account has no coins, a node may return null. */
export const reward = (item: JsonItem) => ({
  validator: validator(item),
  coins: item.member('reward').list().map(coin),
});

/**
 * Reads a list. Nodes always return this list, even if it is empty. If it is missing, another program, such as a
 * gateway, sent the response, and an error is thrown.
 */
const listOf =
  <Element>(name: string, read: (item: JsonItem) => Element): ReadReply<Element[]> =>
  (reply) => {
    if (!(name in reply)) throw new Error(`answers without ${name}`);
    return new JsonItem(name, reply[name] ?? undefined).list().map(read);
  };

const coinsText = (coins: readonly Coin[]) =>
  [...coins]
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map(({ denom, amount }) => amount + denom)
    .join(',');

/**
 * @returns undefined if the node has pruned the height
 * @throws ConfigError if no node returns a valid response
 */
async function nodeHoldings(node: LcdClient, address: string, height: number): Promise<AccountFacts | undefined> {
  const facts = noFacts();
  const ask = async <Element>(path: string, read: ReadReply<Element[]>) =>
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
