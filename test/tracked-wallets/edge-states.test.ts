import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { projectRoot } from '../../pipeline/base/project.js';
import { tableFiles } from '../../pipeline/publish/generation.js';
import type { WalletCoin } from '../../schemas/types.generated.js';
import { recordAt } from '../chain/validator-sets.js';
import { openDatabase } from '../open-database.js';
import { KNOWN, type SearchNode, type SearchNodeOptions, startSearchNode } from './search-node.js';
import { WalletCase, type WalletNight } from './wallet-night.js';

const WALLETS = Object.values(KNOWN);
const timeOf = (height: number) => recordAt(height).block.block.header.time;
/** A state of the recording is that after block 43, so the edge is the time of block 44. */
const EDGE = timeOf(44);
const EDGE_TEXT = EDGE.slice(0, 19);
const own = new WalletCase({ HUBLEDGER_EDGES: EDGE });
const nodes: SearchNode[] = [];
/** Nodes with all states, on two hosts. */
let [one, other]: SearchNode[] = [];
/** A node with the latest two states. */
let pruned: SearchNode;

async function start(options?: SearchNodeOptions): Promise<SearchNode> {
  const node = await startSearchNode(options);
  nodes.push(node);
  return node;
}

/** The same node under another name, so that it counts as another host. */
const renamed = (node: SearchNode): SearchNode => ({ ...node, url: node.url.replace('127.0.0.1', 'localhost') });

before(async () => {
  one = await start();
  other = renamed(await start());
  pruned = await start({ earliestState: 999 });
});

after(async () => {
  for (const node of nodes) await node.close();
  own.remove();
});

async function coinsOf({ folder, manifest }: WalletNight, height: number): Promise<WalletCoin[]> {
  const database = await openDatabase();
  await database.attach('wallet_states', tableFiles(folder, manifest, 'wallet_states'));
  const coins: WalletCoin[] = [];
  for await (const batch of database.sorted<WalletCoin>('wallet_states')) coins.push(...batch);
  return coins.filter((coin) => coin.height === height);
}

interface Reply {
  readonly balances: readonly { denom: string; amount: string }[];
  readonly delegation_responses: readonly { balance: { amount: string } }[];
  readonly unbonding_responses: readonly { entries: readonly { balance: string }[] }[];
  readonly rewards: readonly { reward: readonly { denom: string; amount: string }[] }[];
}

/** The node's state of a wallet, added up without the code under test. */
function expectedCoins(address: string, height: number, confirmed: boolean): WalletCoin[] {
  const states = JSON.parse(readFileSync(join(projectRoot(), 'test/tracked-wallets/node-state.json'), 'utf8'));
  const reply = (path: string): Reply => states[height][`/cosmos/${path}`];
  const delegator = `v1beta1/delegators/${address}`;
  const sum = (amounts: readonly string[]) =>
    amounts.reduce((total, amount) => total + BigInt(amount.split('.')[0]!), 0n);
  const { balances } = reply(`bank/v1beta1/balances/${address}`);
  const rewards = reply(`distribution/${delegator}/rewards`).rewards.flatMap(({ reward }) => reward);
  const staked = reply(`staking/v1beta1/delegations/${address}`).delegation_responses;
  const unbonding = reply(`staking/${delegator}/unbonding_delegations`).unbonding_responses;
  const amountsOf = (coins: Reply['balances'], denom: string) =>
    coins.filter((coin) => coin.denom === denom).map(({ amount }) => amount);
  return [...new Set(['uatom', ...balances.map(({ denom }) => denom), ...rewards.map(({ denom }) => denom)])]
    .sort()
    .map((denom) => ({
      address,
      height,
      denom,
      liquid: sum(amountsOf(balances, denom)),
      staked: denom === 'uatom' ? sum(staked.map(({ balance }) => balance.amount)) : 0n,
      unbonding:
        denom === 'uatom' ? sum(unbonding.flatMap(({ entries }) => entries.map(({ balance }) => balance))) : 0n,
      unclaimed: sum(amountsOf(rewards, denom)),
      confirmed,
    }))
    .filter(({ denom, liquid, unclaimed }) => denom === 'uatom' || liquid + unclaimed > 0n);
}

const expectedAt = (height: number, confirmed: boolean, wallets: readonly string[] = WALLETS) =>
  [...wallets].sort().flatMap((address) => expectedCoins(address, height, confirmed));

const says = ({ said }: WalletNight, pattern: RegExp) => said.filter((text) => pattern.test(text)).length;

test('a state before an edge is stored if a node has it, and stays after nodes have pruned it', async () => {
  const night = await own.night('kept', WALLETS, [one!, other!]);
  assert.deepEqual(await coinsOf(night, 43), expectedAt(43, true));
  assert.deepEqual(await coinsOf(night, 1000), expectedAt(1000, true));
  assert.equal(says(night, /^the state of 4 wallets before .* is stored \(block 43\)$/), 1);
  const later = await own.night('kept', WALLETS, [pruned]);
  assert.deepEqual(await coinsOf(later, 43), expectedAt(43, true));
  assert.equal(says(later, /is stored/), 0);
  assert.ok(!later.said.some((text) => text.includes(EDGE_TEXT)));
  const without = await own.night('kept', WALLETS, [pruned], { HUBLEDGER_EDGES: '2026-02-01T00:00:00Z' });
  assert.deepEqual(await coinsOf(without, 43), expectedAt(43, true));
});

test('a node that has pruned the state makes the run say so, and an archive node helps later', async () => {
  const wallets = [KNOWN.slashed, KNOWN.small];
  const night = await own.night('late', wallets, [pruned]);
  assert.deepEqual(await coinsOf(night, 43), []);
  assert.equal(says(night, /^unclaimed rewards at .* stay unknown: no node has the state before them any more$/), 1);
  assert.ok(night.said.some((text) => text.includes(EDGE_TEXT) && text.includes('stay unknown')));
  const helped = await own.night('late', wallets, [pruned, renamed(one!)]);
  assert.deepEqual(await coinsOf(helped, 43), expectedAt(43, false, wallets));
  assert.equal(says(helped, /is stored \(block 43, on one node's word\)$/), 1);
  const confirmed = await own.night('late', wallets, [one!, other!]);
  assert.deepEqual(await coinsOf(confirmed, 43), expectedAt(43, true, wallets));
});

/** Adds an ATOM to the rewards after block 43, also to their total. */
const forgedRewards: SearchNodeOptions['lie'] = (path, body, height) => {
  if (height !== '43' || !path.endsWith('/rewards')) return body;
  const text = JSON.stringify(body);
  const [, amount] = /"denom":"uatom","amount":"(\d+)\./.exec(text) ?? [];
  if (amount === undefined) return body;
  const { rewards, total } = body as Reply & { total: Reply['balances'] };
  const add = (coins: Reply['balances']) =>
    coins.map((coin) =>
      coin.denom === 'uatom'
        ? { ...coin, amount: coin.amount.replace(/^\d+/, (whole) => `${BigInt(whole) + 1_000_000n}`) }
        : coin,
    );
  return {
    rewards: rewards.map((item, i) => (i === 0 ? { ...item, reward: add(item.reward) } : item)),
    total: add(total),
  };
};

test('a node that forges rewards is found out by the other node, and nothing is stored', async () => {
  const liar = await start({ lie: forgedRewards });
  const wallets = [KNOWN.slashed, KNOWN.small];
  for (const [dataDir, pair] of [
    ['forged', [liar, other!]],
    ['forged-second', [other!, liar]],
  ] as const) {
    const night = await own.night(dataDir, wallets, pair);
    assert.deepEqual(await coinsOf(night, 43), expectedAt(43, true, [KNOWN.small]));
    assert.equal(says(night, new RegExp(`^${KNOWN.slashed}: its state before .* is not stored, .* differs`)), 1);
  }
  const honest = await own.night('forged', wallets, [one!, other!]);
  assert.deepEqual(await coinsOf(honest, 43), expectedAt(43, true, wallets));
});

test('a state on one node’s word is dropped when another node contradicts it', async () => {
  const liar = await start({ lie: forgedRewards });
  const single = await own.night('dropped', [KNOWN.slashed], [liar]);
  assert.equal((await coinsOf(single, 43)).length > 0, true);
  const contradicted = await own.night('dropped', [KNOWN.slashed], [liar, other!]);
  assert.deepEqual(await coinsOf(contradicted, 43), []);
  const honest = await own.night('dropped', [KNOWN.slashed], [one!, other!]);
  assert.deepEqual(await coinsOf(honest, 43), expectedAt(43, true, [KNOWN.slashed]));
});

test('rewards that do not add up to their total are not used', async () => {
  const wrong = await start({
    lie: (path, body) => (path.endsWith('/rewards') ? { ...(body as object), rewards: [] } : body),
  });
  const night = await own.night('total', [KNOWN.slashed], [wrong]);
  assert.equal(night.wallets[0]!.state, 'incomplete');
  assert.deepEqual(await coinsOf(night, 43), []);
});

test('a state that the rows contradict is not used, and is replaced when a node gives another one', async () => {
  const liar = await start({
    lie(path, body, height) {
      if (height !== '43' || !path.includes(`balances/${KNOWN.sharer}`)) return body;
      const { balances, ...rest } = body as Reply;
      return { ...rest, balances: balances.map((coin) => ({ ...coin, amount: `${BigInt(coin.amount) + 1n}` })) };
    },
  });
  const night = await own.night('doubted', [KNOWN.sharer, KNOWN.small], [liar]);
  assert.deepEqual(await coinsOf(night, 43), expectedAt(43, false, [KNOWN.small]));
  assert.equal(says(night, new RegExp(`^${KNOWN.sharer}: its state before .* is not used: liquid coins are`)), 1);
  const mended = await own.night('doubted', [KNOWN.sharer, KNOWN.small], [one!, other!]);
  assert.deepEqual(await coinsOf(mended, 43), expectedAt(43, true, [KNOWN.sharer, KNOWN.small]));
});

test('a damaged file is set aside, and the states are asked for again', async () => {
  await own.night('damaged', [KNOWN.small], [one!, other!]);
  const folder = join(own.root, 'damaged/edge-states/localhub-1');
  const file = join(folder, '43.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"staked":"', '"staked":"1'));
  const again = await own.night('damaged', [KNOWN.small], [one!, other!]);
  assert.deepEqual(await coinsOf(again, 43), expectedAt(43, true, [KNOWN.small]));
  assert.ok(existsSync(`${file}.damaged`));
  assert.equal(says(again, /^a file of states at an edge is damaged/), 1);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name === '43.json'),
    ['43.json'],
  );
});
