/** Holdings at instants and rewards in a dataset of single wallets, compared with a dataset of the whole chain. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Decimal } from '../../pipeline/base/values/decimal.js';
import { parseTime } from '../../pipeline/holdings/values/time.js';
import type { HoldingsAt, Rewards, TaxYear } from '../../schemas/types.generated.js';
import { recordAt } from '../chain/validator-sets.js';
import { NightCase, SAMPLE_CHAIN } from '../pipeline/night-case.js';
import { startServer, type TestServer } from '../server/harness.js';
import { parseCsv } from '../server/parse-csv.js';
import { KNOWN, type SearchNode, startSearchNode } from './search-node.js';
import { WalletCase } from './wallet-night.js';

const WALLETS = Object.values(KNOWN);
const timeOf = (height: number) => recordAt(height).block.block.header.time;
/** The nodes' states are those after blocks 43 and 1000. */
const EDGE = timeOf(44);
const API = '/api/tax/v1';
const [NEW_YEAR, APRIL] = ['2026-01-01T05:00:00Z', '2026-04-05T23:00:00Z'];
const own = new WalletCase({ HUBLEDGER_EDGES: EDGE });
const whole = new NightCase(SAMPLE_CHAIN);
const nodes: SearchNode[] = [];
const servers: TestServer[] = [];
let [ofWallets, ofChain]: TestServer[] = [];

async function serve(dataDir: string): Promise<TestServer> {
  const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_LOG_LEVEL: 'silent' };
  const server = await startServer({ published: false, environment });
  servers.push(server);
  return server;
}

before(async () => {
  nodes.push(await startSearchNode());
  await own.night('kept', WALLETS, nodes);
  whole.variables = { HUBLEDGER_EDGES: EDGE };
  await whole.published('whole');
  ofWallets = await serve(join(own.root, 'kept'));
  ofChain = await serve(whole.path('whole'));
});

after(async () => {
  for (const server of servers) await server.close();
  for (const node of nodes) await node.close();
  own.remove();
  whole.remove();
});

async function holdings(server: TestServer, query: string): Promise<HoldingsAt> {
  const answer = await server.ask(`${API}/holdings?address=${WALLETS.join()}${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.json()));
  return answer.json();
}

type Asset = HoldingsAt['wallets'][number]['assets'][number];
const MEMBERS = ['liquid', 'staked', 'unbonding', 'unclaimed'] as const;

const amountsOf = ({ wallets }: HoldingsAt) =>
  new Map(
    wallets.flatMap(({ address, assets }) =>
      assets.map((asset): [string, Asset] => [`${address} ${asset.denom}`, asset]),
    ),
  );

/** All amounts, without values: the two datasets have other prices. */
const exactly = (found: HoldingsAt) =>
  [...amountsOf(found)].map(([key, asset]) => [key, ...MEMBERS.map((member) => asset[member]), asset.stake_reason]);

/** Compares all known amounts. Returns how many amounts are known of each kind. */
function compare(found: HoldingsAt, expected: HoldingsAt, at: string): Record<(typeof MEMBERS)[number], number> {
  const [mine, others] = [amountsOf(found), amountsOf(expected)];
  const known = { liquid: 0, staked: 0, unbonding: 0, unclaimed: 0 };
  /** A denom of which only rewards could be held is not listed where rewards are unknown. */
  const amountIn = (side: typeof mine, key: string, member: (typeof MEMBERS)[number]) =>
    (side.get(key) ?? (member === 'unclaimed' ? side.get(`${key.split(' ')[0]} uatom`) : undefined))?.[member];
  for (const key of new Set([...mine.keys(), ...others.keys()])) {
    for (const member of MEMBERS) {
      const [amount, other] = [mine, others].map((side) =>
        amountIn(side, key, member) === null ? null : side.get(key)?.[member],
      );
      if (amount === null || other === null) continue;
      assert.equal(amount ?? '0', other ?? '0', `${member} of ${key} at ${at}`);
      known[member]++;
    }
  }
  return known;
}

test('at an edge, all amounts are those of the whole chain, with the same block', async () => {
  const query = `&at=${EDGE}`;
  const [found, expected] = [await holdings(ofWallets!, query), await holdings(ofChain!, query)];
  assert.deepEqual([found.height, found.block_time], [43, expected.block_time]);
  assert.ok([...amountsOf(expected).values()].every(({ unclaimed }) => unclaimed !== null));
  assert.deepEqual(exactly(found), exactly(expected));
});

test('after the last block, all amounts are those of the whole chain', async () => {
  const [found, expected] = [await holdings(ofWallets!, ''), await holdings(ofChain!, '')];
  assert.equal(found.height, 1000);
  assert.deepEqual(exactly(found), exactly(expected));
});

for (const [year, timezone, at] of [
  ['2025', 'America/New_York', NEW_YEAR],
  ['2026', 'America/New_York', ''],
])
  test(`a tax year has the holdings of its end: ${year}`, async () => {
    const query = new URLSearchParams({ address: WALLETS.join(), country: 'US', year: year!, timezone: timezone! });
    query.set('asset_decisions', JSON.stringify({ '*': { mode: 'exclude' } }));
    const answer = await ofWallets!.ask(`${API}/tax-year?${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.json()));
    const { holdings: atEnd } = answer.json() as TaxYear;
    const found = await holdings(ofWallets!, at === '' ? '' : `&at=${at}`);
    assert.equal(atEnd!.height, found.height);
    const assets = found.wallets.flatMap((wallet) => wallet.assets);
    assert.ok(assets.length > 0);
    for (const asset of atEnd!.assets)
      for (const member of MEMBERS) {
        const amounts = assets.filter(({ denom }) => denom === asset.denom).map((one) => one[member]);
        const isUnknown =
          amounts.includes(null) || (member === 'unclaimed' && assets.some((one) => one[member] === null));
        const sum = amounts.reduce((all, amount) => all.plus(amount ?? 0), new Decimal(0));
        assert.equal(asset[member], isUnknown ? null : sum.toFixed(), `${member} of ${asset.denom}`);
      }
  });

test('the nanosecond before and after the blocks around an edge, and between them, is told apart', async () => {
  const [before, next] = [parseTime(timeOf(43)), parseTime(EDGE)];
  const at = (time: bigint) => {
    const text = String(time);
    return `&at=${new Date(Number(text.slice(0, -6))).toISOString().slice(0, 19)}.${text.slice(-9)}Z`;
  };
  for (const [time, height] of [
    [before, 42],
    [before + 1n, 43],
    [next - 1n, 43],
    [next, 43],
    [next + 1n, 44],
  ] as const) {
    const found = await holdings(ofWallets!, at(time));
    assert.equal((await holdings(ofChain!, at(time))).height, height);
    const isKnown = [...amountsOf(found).values()].every(({ unclaimed }) => unclaimed !== null);
    assert.equal(isKnown, height === 43, `${height}`);
    assert.ok(found.height <= height);
  }
});

/** The same pseudo-random instants in each run. */
function* instants(count: number): Generator<string> {
  const [first, last] = [Date.parse(timeOf(3)), Date.parse(timeOf(1000))];
  let seed = 20_261_231;
  for (let i = 0; i < count; i++) {
    seed = (seed * 48_271) % 2_147_483_647;
    yield new Date(first + (seed / 2_147_483_647) * (last - first)).toISOString();
  }
}

test('at random instants, known amounts are those of the whole chain, and unknown ones have a reason', async () => {
  const known = { liquid: 0, staked: 0, unbonding: 0, unclaimed: 0 };
  let unknown = 0;
  for (const at of instants(100)) {
    const found = await holdings(ofWallets!, `&at=${at}`);
    const counts = compare(found, await holdings(ofChain!, `&at=${at}`), at);
    for (const member of MEMBERS) known[member] += counts[member];
    for (const asset of amountsOf(found).values()) {
      const isUnknown = asset.staked === null || asset.unbonding === null;
      assert.equal(isUnknown, asset.stake_reason !== undefined);
      assert.equal(asset.unclaimed === null, asset.unclaimed_reason !== null);
      if (asset.stake_reason) assert.equal(asset.stake_reason, 'rounding');
      if (isUnknown) assert.equal(asset.value, null);
      if (asset.unclaimed === null) unknown++;
      if (asset.unclaimed_reason) assert.equal(asset.unclaimed_reason.code, 'between_edges');
    }
  }
  assert.ok(known.liquid > 800 && known.staked > 300 && known.unbonding > 300 && unknown > 100, JSON.stringify(known));
});

test('elsewhere unclaimed names the nearest edges that have it; at an edge without state, the reason is too_late', async () => {
  const reasons = async (at: string) => {
    const found = (await holdings(ofWallets!, `&at=${at}`)).wallets.find(({ address }) => address === KNOWN.slashed)!;
    return found.assets.find(({ denom }) => denom === 'uatom')!.unclaimed_reason;
  };
  const edge = EDGE.replace(/0+Z$/, 'Z');
  assert.deepEqual(await reasons('2026-03-01T00:00:00Z'), { code: 'between_edges', before: edge, after: null });
  assert.deepEqual(await reasons(NEW_YEAR), { code: 'too_late', before: null, after: edge });
  assert.deepEqual(await reasons(APRIL), { code: 'too_late', before: edge, after: null });
  const catalog = async (server: TestServer): Promise<{ at: string }[]> =>
    (await server.ask(`${API}/catalog`)).json().edges;
  const edges = await catalog(ofWallets!);
  assert.ok(edges.length > 5);
  const others = (await catalog(ofChain!)).filter(({ at }) => at !== edge);
  assert.deepEqual(
    edges.filter(({ at }) => at !== edge),
    others,
  );
});

test('an instant at the first block, or after the last one, is refused with the covered range', async () => {
  for (const at of [timeOf(2), '2026-05-01T00:00:00Z']) {
    const answer = await ofWallets!.ask(`${API}/holdings?address=${KNOWN.small}&at=${at}`);
    assert.equal(answer.status, 400, at);
    assert.match(JSON.stringify(answer.json()), /is outside the index/);
  }
});

test('the CSV leaves unknown amounts empty and names the reason', async () => {
  const query = `address=${KNOWN.slashed}&at=2026-03-01T00:00:00Z&format=csv`;
  const [header, ...rows] = parseCsv((await ofWallets!.ask(`${API}/holdings?${query}`)).text);
  const of = (name: string) => rows.map((row) => row[header!.indexOf(name)]);
  assert.deepEqual([...new Set(of('unclaimed'))], ['']);
  assert.deepEqual([...new Set(of('unclaimed_reason'))], ['between_edges']);
  assert.equal(header!.at(-1), 'stake_reason');
});

test('rewards are paid as on the whole chain; what is unclaimed is null, or 0 where nothing is staked', async () => {
  const rewards = async (server: TestServer, interval: string): Promise<Rewards['periods']> => {
    const answer = await server.ask(`${API}/rewards?address=${WALLETS.join()}&interval=${interval}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.json()));
    return answer.json().periods;
  };
  const keyOf = ({ address, period, denom }: Rewards['periods'][number]) => `${address} ${period} ${denom}`;
  for (const interval of ['day', 'month', 'year']) {
    const mine = new Map((await rewards(ofWallets!, interval)).map((row) => [keyOf(row), row]));
    const all = await rewards(ofChain!, interval);
    const paid = all.filter(({ paid }) => paid !== '0');
    assert.ok(paid.length > 0);
    for (const row of paid) {
      const found = mine.get(keyOf(row))!;
      assert.equal(found.paid, row.paid, keyOf(row));
    }
    const chain = new Map(all.map((row) => [keyOf(row), row]));
    for (const [key, row] of mine) {
      const other = chain.get(key);
      if (row.unclaimed !== null) assert.equal(row.unclaimed, other?.unclaimed ?? '0', key);
      if (row.earned !== null) assert.equal(row.earned, other?.earned ?? '0', key);
    }
    assert.ok([...mine.values()].some(({ unclaimed, earned }) => unclaimed === null && earned === null));
  }
});

test('holdings of an incomplete wallet are refused, but not where a node reported them', async () => {
  const holed = await startSearchNode({ hasIndex: true, searchHoles: incompleteHoles() });
  nodes.push(holed);
  const { wallets } = await own.night('incomplete', [KNOWN.small], [holed]);
  assert.equal(wallets[0]!.state, 'incomplete');
  const server = await serve(join(own.root, 'incomplete'));
  const ask = (query: string) => server.ask(`${API}/${query.replace('?', `?address=${KNOWN.small}&`)}`);
  for (const query of ['holdings?at=2026-03-01T00:00:00Z', 'rewards?interval=month']) {
    const answer = await ask(query);
    assert.deepEqual([answer.status, answer.json().code], [503, 'holdings_incomplete'], query);
  }
  for (const query of [`holdings?at=${EDGE}`, 'holdings?']) assert.equal((await ask(query)).status, 200, query);
});

/** Heights of the small wallet's blocks: without them in the index, its rows are missing. */
function incompleteHoles(): number[] {
  const heights: number[] = [];
  for (let height = 44; height <= 1000; height++) {
    if (JSON.stringify(recordAt(height).block_results).includes(KNOWN.small)) heights.push(height);
  }
  assert.ok(heights.length > 0);
  return heights.slice(-1);
}
