import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { projectRoot } from '../../pipeline/base/project.js';
import { endpointsOf } from '../../pipeline/chain/nodes/endpoint.js';
import { generationDir, readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { RestatementError } from '../../pipeline/publish/restatements.js';
import type { Check } from '../../pipeline/publish/verify/verify.js';
import { loadReference } from '../../pipeline/reference.js';
import { verifyAgainstIndex, verifyWallets } from '../../pipeline/tracked-wallets/verify-wallets.js';
import type { OpeningBalance } from '../../schemas/types.generated.js';
import { PublishedDataset } from '../../scripts/explain/dataset.js';
import { openDatabase } from '../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../pipeline/night-case.js';
import { KNOWN, type SearchNode, startSearchNode } from './search-node.js';
import { manifestText, rowsOf, WalletCase, type WalletNight } from './wallet-night.js';

const WALLETS = Object.values(KNOWN);
const own = new WalletCase();
const whole = new NightCase(SAMPLE_CHAIN);
const nodes: SearchNode[] = [];
let fullFolder: string;
let night: WalletNight;

before(async () => {
  nodes.push(await startSearchNode(), await startSearchNode());
  fullFolder = generationDir(whole.path('whole'), (await whole.published('whole')).generation);
  night = await own.night('own', WALLETS, nodes);
});

after(async () => {
  for (const node of nodes) await node.close();
  own.remove();
  whole.remove();
});

async function openingsOf(folder: string): Promise<OpeningBalance[]> {
  const database = await openDatabase();
  await database.attach('opening_balances', tableFiles(folder, readManifest(folder), 'opening_balances'));
  const all = await database.all<OpeningBalance>('from opening_balances order by address, denom');
  return all.filter(({ address }) => WALLETS.includes(address as (typeof WALLETS)[number]));
}

const priceless = <Row extends object>(row: Row) => {
  const { sent_price, received_price, fee_price, ...rest } = row as Row & Record<string, unknown>;
  return rest;
};

test('rows of single wallets are those of the whole chain, and slashes nearly so', async () => {
  const [rows, expected] = [await rowsOf(night.folder, WALLETS), await rowsOf(fullFolder, WALLETS)];
  const isSlash = ({ category }: { readonly category: string }) => category === 'slash';
  const others = (all: typeof rows) => all.filter((row) => !isSlash(row)).map(priceless);
  assert.ok(others(rows).some(({ category }) => category === 'gov_deposit_burned'));
  assert.ok(others(rows).some(({ category }) => category === 'tokenize_shares'));
  assert.deepEqual(others(rows), others(expected));
  const slashes = (all: typeof rows) => all.filter(isSlash);
  assert.ok(slashes(expected).length > 6);
  assert.deepEqual(
    slashes(rows).map(({ address, tx_hash, validator }) => [address, tx_hash, validator]),
    slashes(expected).map(({ address, tx_hash, validator }) => [address, tx_hash, validator]),
  );
  for (const [i, row] of slashes(rows).entries()) {
    const [lost, exact] = [row.sent_amount!, slashes(expected)[i]!.sent_amount!];
    const difference = lost > exact ? lost - exact : exact - lost;
    // A slash for downtime takes a ten-thousandth, so this is at least 2 units for each 1,000 coins of the stake.
    assert.ok(difference <= 2n + (2n * exact) / 100_000n, `${row.id}: ${lost}, ${exact}`);
    assert.match(row.detail, /computed/);
  }
});

test('the genesis and all blocks since then prove what a wallet held before the index', async () => {
  const openings = await openingsOf(fullFolder);
  const fromGenesis = await own.night('first-day', WALLETS, nodes, { HUBLEDGER_INDEX_START: '2025-12-28' });
  for (const { wallets, folder } of [night, fromGenesis]) {
    for (const { address, state, opening, missing } of wallets) {
      assert.deepEqual([state, opening, missing], ['proved', 'node', []], address);
    }
    assert.deepEqual(await openingsOf(folder), openings);
  }
  assert.ok(openings.length > 0);
  assert.deepEqual([night.manifest.coverage.first_height, fromGenesis.manifest.coverage.first_height], [2, 1]);
});

test('a lost block between the genesis and the index makes a wallet incomplete', async () => {
  const rows = await rowsOf(fullFolder, [KNOWN.sharer]);
  const lost = Number.parseInt(rows[0]!.id, 10);
  const holed = await startSearchNode({ searchHoles: [lost] });
  nodes.push(holed);
  const start = rows.find(({ id }) => Number.parseInt(id, 10) > lost + 40)!.time.slice(0, 10);
  const { wallets } = await own.night('holed', [KNOWN.sharer], [holed], { HUBLEDGER_INDEX_START: start });
  assert.equal(wallets[0]!.state, 'incomplete');
});

test('what a wallet held before the index is derived if no node has the state or all blocks', async () => {
  const node = await startSearchNode({ earliest: 2 });
  nodes.push(node);
  const derived = await own.night('derived', WALLETS, [node]);
  for (const { address, state, opening, missing, balances, sequences } of derived.wallets) {
    assert.deepEqual([state, opening], ['derived', 'computed'], address);
    assert.deepEqual(missing, [], address);
    assert.ok(balances.every(({ holds }) => holds));
    assert.deepEqual(sequences!.missing, []);
  }
});

test('a night with state before its first block is proved, and its opening is the state', async () => {
  const later = await own.night('later', WALLETS, nodes, { HUBLEDGER_INDEX_START: '2026-01-06' });
  assert.equal(later.manifest.coverage.starting_height, 43);
  for (const { address, state, opening, missing } of later.wallets) {
    assert.deepEqual([state, opening, missing], ['proved', 'node', []], address);
  }
});

/** An export of the state after block 43, made from a node's answers. */
function exported(initialHeight: string): string {
  const answers: Record<string, Record<string, object[]>> = JSON.parse(
    readFileSync(join(projectRoot(), 'test/tracked-wallets/node-state.json'), 'utf8'),
  )['43'];
  const of = (beginning: string) => Object.entries(answers).filter(([path]) => path.startsWith(beginning));
  const stakes = of('/cosmos/staking/v1beta1/');
  const listsOf = (name: string) => stakes.flatMap(([, answer]) => answer[name] ?? []);
  const app_state = {
    auth: { accounts: of('/cosmos/auth/').map(([, { account }]) => account) },
    bank: {
      balances: of('/cosmos/bank/').map(([path, { balances }]) => ({
        address: path.split('/').at(-1),
        coins: balances,
      })),
    },
    staking: {
      validators: listsOf('validators'),
      delegations: listsOf('delegation_responses').map((one) => (one as { delegation: object }).delegation),
      unbonding_delegations: listsOf('unbonding_responses'),
    },
  };
  const file = join(own.root, `export-${initialHeight}.json`);
  writeFileSync(file, JSON.stringify({ chain_id: 'localhub-1', initial_height: initialHeight, app_state }));
  return file;
}

test('an exported state proves what a wallet held before the index if nodes have pruned theirs', async () => {
  const node = await startSearchNode({ earliest: 45, earliestState: 1000 });
  const [later, pruned] = [{ HUBLEDGER_INDEX_START: '2026-01-06' }, { HUBLEDGER_INDEX_START: '2025-12-31' }];
  nodes.push(node);
  const stateOf = async (dataDir: string, settings: Readonly<Record<`HUBLEDGER_${string}`, string>>) => {
    const { wallets, folder, said } = await own.night(dataDir, WALLETS, [node], settings);
    const states = new Set(wallets.map(({ state, opening }) => `${state} ${opening}`));
    return { states: [...states], openings: await openingsOf(folder), said };
  };
  await own.night('exported', WALLETS, nodes.slice(0, 1), later);
  const proved = await stateOf('exported', { ...later, HUBLEDGER_GENESIS: exported('44') });
  const byNode = await own.night('by-node', WALLETS, nodes.slice(0, 1), later);
  assert.deepEqual(proved.states, ['complete node']);
  assert.deepEqual(proved.openings, await openingsOf(byNode.folder));
  const derived = await stateOf('not-exported', { ...pruned, HUBLEDGER_GENESIS: exported('50') });
  assert.ok(derived.states.every((state) => !state.startsWith('proved')));
  assert.ok(derived.said.includes('HUBLEDGER_GENESIS is not used: it is not the state before a block from 45 to 45'));
});

/** First heights of searches. */
const startsOf = (searches: readonly string[]) =>
  searches.flatMap((query) => Number(/height>=(\d+)/.exec(query)?.[1] ?? Number.NaN) || []);

test('a night in two parts has the bytes of a night in one, and searches only new and the last heights', async () => {
  let latest = 600;
  const node = await startSearchNode({ latest: () => latest });
  nodes.push(node);
  await own.night('parts', [KNOWN.small], [node]);
  const first = node.searches.length;
  latest = 1000;
  const parts = await own.night('parts', [KNOWN.small], [node]);
  const starts = startsOf(node.searches.slice(first));
  assert.ok(starts.length > 0 && starts.every((start) => start > 600 - 300));
  const once = await own.night('once', [KNOWN.small], [node]);
  assert.equal(manifestText(parts.folder), manifestText(once.folder));
  const again = await own.night('parts', [KNOWN.small], [node]);
  assert.equal(again.outcome.isNew, false);
});

test('adding a wallet asks only for its own blocks, and removing one drops its rows', async () => {
  const node = await startSearchNode();
  nodes.push(node);
  const alone = await own.night('grows', [KNOWN.small], [node]);
  const asked = new Set(node.asked);
  node.asked.length = 0;
  node.searches.length = 0;
  const both = await own.night('grows', [KNOWN.small, KNOWN.depositor], [node]);
  assert.ok(node.asked.length > 0 && node.asked.every((height) => !asked.has(height)));
  const ofSmall = startsOf(node.searches.filter((query) => query.includes(KNOWN.small)));
  assert.ok(ofSmall.length > 0 && ofSmall.every((start) => start > 1000 - 300));
  assert.equal(new Set((await rowsOf(both.folder, WALLETS)).map(({ address }) => address)).size, 2);
  const left = await own.night('grows', [KNOWN.small], [node]);
  assert.equal(manifestText(left.folder), manifestText(alone.folder));
});

test('another quote of a closed month is refused, and names only wallets of both datasets', async () => {
  cpSync(join(own.root, 'own'), join(own.root, 'quoted'), { recursive: true });
  const rows = await rowsOf(night.folder, [KNOWN.small]);
  const day = rows
    .find(({ sent_denom, sent_price }) => sent_denom === 'uatom' && sent_price !== null)!
    .time.slice(0, 10);
  const prices = join(own.root, 'prices');
  cpSync(join(projectRoot(), 'data/sample/prices'), prices, { recursive: true });
  for (const source of ['binance', 'bybit']) {
    const file = join(prices, source, 'cosmos.csv');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.map((line) => (line.startsWith(day) ? `${day},9.99` : line)).join('\n'));
  }
  const again = (allowRestatement: boolean) =>
    own.night('quoted', [KNOWN.small], nodes, { HUBLEDGER_PRICE_DIR: prices, allowRestatement });
  const error = await again(false).catch((refused) => refused);
  assert.ok(error instanceof RestatementError, String(error));
  assert.match(error.message, new RegExp(`^ {2}uatom ${day} \\d\\.\\d+ → 9\\.990000, 1 wallets`, 'm'));
  const { restatements } = (await again(true)).manifest;
  assert.deepEqual(
    restatements.map(({ causes, wallets }) => [causes, wallets]),
    [[['quote'], 1]],
  );
});

test('explain finds the event of a row in the blocks of single wallets', async () => {
  const dataset = await PublishedDataset.open(join(own.root, 'own'), loadReference());
  try {
    const rows = await dataset.rows(KNOWN.slashed);
    for (const row of [rows[0]!, rows.find(({ category }) => category === 'slash')!]) {
      const origin = await dataset.origin(row);
      assert.equal(origin!.block.height, row.height);
      assert.equal(origin!.event.type === 'slash', row.category === 'slash');
    }
  } finally {
    dataset.close();
  }
});

test('the proofs can be repeated, and a dataset of the whole chain compared with a search', async () => {
  const checksOf = async (checks: AsyncIterable<Check>) => {
    const all: Check[] = [];
    for await (const check of checks) all.push(check);
    return all;
  };
  const urls = [nodes[0]!.url];
  const repeated = await checksOf(
    verifyWallets(night.folder, { rpc: endpointsOf(urls), rest: endpointsOf(urls) }, 'uatom'),
  );
  assert.deepEqual([repeated.length, repeated.every(({ ok }) => ok)], [WALLETS.length, true]);
  const liar = await startSearchNode({
    lie: (path, body) => (path.includes('/delegations/') ? { delegation_responses: [] } : body),
  });
  nodes.push(liar);
  const refuted = await checksOf(verifyWallets(night.folder, { rpc: [], rest: endpointsOf([liar.url]) }, 'uatom'));
  assert.ok(refuted.some(({ ok, text }) => !ok && /staked and unbonding: \d+ by the rows, the node has 0/.test(text)));
  const compared = await checksOf(verifyAgainstIndex(fullFolder, urls, KNOWN.sharer));
  assert.deepEqual(
    compared.map(({ ok }) => ok),
    [true],
  );
  const lost = Number.parseInt((await rowsOf(fullFolder, [KNOWN.sharer]))[0]!.id, 10);
  const holed = await startSearchNode({ searchHoles: [lost] });
  nodes.push(holed);
  const [lacking] = await checksOf(verifyAgainstIndex(fullFolder, [holed.url], KNOWN.sharer));
  assert.equal(lacking!.ok, false);
  assert.match(lacking!.text, new RegExp(`lacks 1: ${lost}`));
});
