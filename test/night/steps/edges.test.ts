/** Unclaimed rewards at edges, against the node's own state of every wallet. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Catalog, HoldingsAt } from '../../../schemas/types.generated.js';
import { nodeAssets, nodeStates } from '../../holdings/node-assets.js';
import { NightCase } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../../server/harness.js';

/** Heights of the node's states. All blocks are twelve hours earlier than recorded, so no state is at the end of a day. */
const HEIGHTS = [120, 353, 451, 530];
const SHIFT_MS = -12 * 3_600_000;

const chain = new NightCase({ from: 1, first: 2, last: 540, firstDay: '2025-12-31', genesis: true });
const times = new Map<number, string>();
let server: TestServer;
before(async () => {
  chain.record(chain.lines().map(shifted));
  for (const line of chain.lines()) {
    const { height, time } = JSON.parse(line).block.block.header;
    times.set(Number(height), time);
  }
  await chain.night('data');
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
});
after(async () => {
  await server.close();
  chain.remove();
});

/** Moves every time in a block. */
function shifted(line: string): string {
  return line.replace(/(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)((?:\.\d+)?Z)/g, (_, second: string, rest: string) => {
    const moved = new Date(Date.parse(`${second}Z`) + SHIFT_MS).toISOString();
    return `${moved.slice(0, 19)}${rest}`;
  });
}

async function get<Body>(path: string, query: Record<string, string>): Promise<Body> {
  const { status, text } = await server.ask(`/api/tax/v1/${path}?${new URLSearchParams(query)}`);
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const edgesOf = async () => (await get<Catalog>('catalog', {})).edges;

test('the first instants of tax years in the index are edges', async () => {
  const edges = await edgesOf();
  // Countries that are added later have edges of their own.
  const named = 'AT AU CA CH DE ES FR GB IT JP KR NL US'.split(' ');
  const starts = edges.map(({ at, countries }) => `${at} ${countries.filter((country) => named.includes(country))}`);
  const known = starts.filter((start) => !start.endsWith(' '));
  assert.deepEqual(known, [
    '2025-12-31T15:00:00Z JP,KR',
    '2025-12-31T23:00:00Z AT,CH,DE,ES,FR,IT,NL',
    '2026-01-01T00:00:00Z ES',
    '2026-01-01T03:30:00Z CA',
    '2026-01-01T04:00:00Z CA',
    '2026-01-01T05:00:00Z CA,US',
    '2026-01-01T06:00:00Z CA,US',
    '2026-01-01T07:00:00Z CA,US',
    '2026-01-01T08:00:00Z CA,US',
    '2026-01-01T09:00:00Z US',
    '2026-01-01T10:00:00Z US',
  ]);
  for (const { at, height, block_time } of edges) {
    assert.equal(Date.parse(block_time), Date.parse(times.get(height)!));
    assert.ok(Date.parse(block_time) < Date.parse(at) && Date.parse(at) <= Date.parse(times.get(height + 1)!));
    const { height: asked } = await get<HoldingsAt>('holdings', { address: nodeStates(120)[0]!.address, at });
    assert.equal(asked, height);
  }
});

/** Both ends of the period in which a height's state is that of an instant. */
const instantsOf = (height: number) => [times.get(height)!.replace('Z', '1Z'), times.get(height + 1)!];

test('past edges that are added later: holdings are the node’s, of every wallet and denom', async () => {
  const [address] = nodeStates(530).map((wallet) => wallet.address);
  const [early] = instantsOf(353);
  const { wallets } = await get<HoldingsAt>('holdings', { address: address!, at: early! });
  const [{ unclaimed, unclaimed_reason } = assert.fail()] = wallets[0]!.assets;
  assert.deepEqual([unclaimed, unclaimed_reason!.code], [null, 'between_closes']);

  chain.variables = { HUBLEDGER_EDGES: HEIGHTS.flatMap(instantsOf).join() };
  await chain.night('data');
  await server.datasets.refresh();
  for (const height of HEIGHTS) {
    for (const at of instantsOf(height)) await expectNode(height, at);
  }
});

async function expectNode(height: number, at: string): Promise<void> {
  const states = nodeStates(height);
  for (let i = 0; i < states.length; i += 50) {
    const some = states.slice(i, i + 50);
    const found = await get<HoldingsAt>('holdings', { address: some.map(({ address }) => address).join(), at });
    assert.equal(found.height, height);
    for (const wallet of some) {
      const { assets } = found.wallets.find(({ address }) => address === wallet.address)!;
      const amounts = assets.map(({ denom, liquid, staked, unbonding, unclaimed }): [string, string[]] => [
        denom,
        [liquid, String(staked), String(unbonding), String(unclaimed)],
      ]);
      assert.deepEqual(new Map(amounts.sort()), nodeAssets(wallet), `${wallet.address} after ${height}`);
    }
  }
  assert.ok(states.length > 100);
}

test('the nearest instants with known rewards may be edges', async () => {
  const [address] = nodeStates(530).map((wallet) => wallet.address);
  const [, last] = instantsOf(353);
  const at = times.get(355)!; // after block 354
  const { wallets } = await get<HoldingsAt>('holdings', { address: address!, at });
  const { unclaimed_reason } = wallets[0]!.assets[0]!;
  assert.deepEqual(unclaimed_reason, { code: 'between_closes', before: last, after: '2026-02-11T00:00:00Z' });
});

test('an edge once kept stays without the variable, also in a run that makes everything again', async () => {
  const kept = await edgesOf();
  assert.equal(kept.filter(({ countries }) => countries.length === 0).length, 2 * HEIGHTS.length);
  chain.variables = {};
  await chain.night('data');
  await server.datasets.refresh();
  assert.deepEqual(await edgesOf(), kept);
  await chain.night('data', { full: true });
  await server.datasets.refresh();
  assert.deepEqual(await edgesOf(), kept);
  await expectNode(353, instantsOf(353)[0]!);
});
