import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { formatDecimal } from '../../pipeline/base/values/amount.js';
import { coverageOf, WHOLE_INDEX } from '../../pipeline/books/reports/coverage.js';
import { loaders, program, runBeside } from '../scripts/run-program.js';
import { KNOWN, type SearchNode, type SearchNodeOptions, startSearchNode } from './search-node.js';
import { rowsOf, WalletCase, type WalletNight } from './wallet-night.js';

/** A node has the state before this day, so that nothing has to be computed back. */
const own = new WalletCase({ HUBLEDGER_INDEX_START: '2026-01-06' });
const nodes: SearchNode[] = [];
after(async () => {
  for (const node of nodes) await node.close();
  own.remove();
});

async function start(options: SearchNodeOptions = {}): Promise<SearchNode> {
  const node = await startSearchNode(options);
  nodes.push(node);
  return node;
}

const { small, sharer } = KNOWN;

/** Cron expression of the next leap day. */
const NEVER = '0 0 29 2 *';

/** Variables of a command for one wallet, at a time when the last block is half a day old. */
const environmentOf = (dataDir: string, rpc: readonly SearchNode[], lcd: SearchNode) => ({
  HUBLEDGER_WALLETS: small,
  HUBLEDGER_RPC_URLS: rpc.map(({ url }) => url).join(),
  HUBLEDGER_LCD_URLS: lcd.url,
  HUBLEDGER_NODE_CHAIN_ID: 'localhub-1',
  HUBLEDGER_INDEX_START: '2026-01-06',
  HUBLEDGER_PRICE_DIR: join(projectRoot(), 'data/sample/prices'),
  HUBLEDGER_PRICE_SOURCES: 'none',
  HUBLEDGER_DATA_DIR: join(own.root, dataDir),
  HUBLEDGER_NOW: '2026-04-15T20:00:00Z',
  HUBLEDGER_GITHUB_API_URL: 'http://127.0.0.1:1',
  HUBLEDGER_PORT: '0',
});
let wholeRows: Promise<string[]> | undefined;

const idsOf = async ({ folder }: WalletNight) => (await rowsOf(folder, [small])).map(({ id }) => id);

/** Ids of the wallet's rows by a sound node. */
function wanted(): Promise<string[]> {
  wholeRows ??= start().then(async (node) => idsOf(await own.night('sound', [small], [node])));
  return wholeRows;
}

const heightsOf = (ids: readonly string[]) => [...new Set(ids.map((id) => Number.parseInt(id, 10)))];

/** Ten heights of a wallet: the first, where it signs, and nine others, evenly. */
function tenOf(ids: readonly string[]): number[] {
  const heights = heightsOf(ids);
  const step = heights.length / 10;
  return [...Array(10).keys()].map((i) => heights[Math.floor(i * step)]!);
}

test('nothing is lost if the index of one of two nodes lacks ten heights, and the run says so', async () => {
  const sound = await own.night('sharer', [sharer], [await start()]);
  const rows = await rowsOf(sound.folder, [sharer]);
  const searchHoles = tenOf(rows.map(({ id }) => id));
  assert.equal(new Set(searchHoles).size, 10);
  const night = await own.night('one-hole', [sharer], [await start({ searchHoles }), await start()]);
  assert.deepEqual(await rowsOf(night.folder, [sharer]), rows);
  assert.equal(night.wallets[0]!.state, 'proved');
  assert.ok(night.said.some((text) => text.includes('lacks heights that another node has')));

  const holed = [await start({ searchHoles }), await start({ searchHoles })];
  const lacking = await own.night('two-holes', [sharer], holed);
  const [wallet] = lacking.wallets;
  assert.equal(wallet!.state, 'incomplete');
  assert.ok(wallet!.balances.some(({ holds }) => !holds));
  assert.ok(wallet!.sequences!.missing.length > 0);
  const coverage = coverageOf(lacking.manifest, WHOLE_INDEX, [sharer]);
  assert.equal(coverage.complete, false);
  assert.match(coverage.note, /Something is missing/);

  const named = await own.night('two-holes', [sharer], [...holed, await start()]);
  assert.equal(named.wallets[0]!.state, 'proved', 'the whole index of a node that is named later is searched');
  assert.deepEqual(await rowsOf(named.folder, [sharer]), rows);
});

test('blocks that all nodes have pruned are named, and the rows after them stay', async () => {
  const ids = await wanted();
  const earliest = heightsOf(ids)[0]! + 1;
  const night = await own.night('pruned', [small], [await start({ earliest })]);
  assert.deepEqual(
    await idsOf(night),
    ids.filter((id) => Number.parseInt(id, 10) >= earliest),
  );
  assert.equal(night.wallets[0]!.state, 'incomplete');
  assert.match(night.wallets[0]!.missing.join(), /pruned/);
});

test('an archive node that is named later completes a dataset that began with pruned nodes', async () => {
  const first = { HUBLEDGER_INDEX_START: '2025-12-31' };
  const wallets = [small, sharer];
  const sound = await own.night('archive', wallets, [await start(), await start()], first);
  const pruned = await start({ earliest: 60, earliestState: 60 });
  const before = await own.night('begun-pruned', wallets, [pruned], first);
  assert.ok(before.wallets.every(({ state }) => state !== 'proved'));
  const night = await own.night('begun-pruned', wallets, [pruned, await start(), await start()], {
    ...first,
    lcd: [await start(), await start()],
  });
  assert.equal(night.manifest.coverage.first_height, sound.manifest.coverage.first_height);
  assert.deepEqual(night.wallets, sound.wallets);
  assert.deepEqual(await rowsOf(night.folder, wallets), await rowsOf(sound.folder, wallets));
});

test('a node that lacks a block somewhere does not hinder the search for the first day', async () => {
  const sound = await own.night('archive', [small], [await start()], { HUBLEDGER_INDEX_START: '2026-01-01' });
  const { first_height } = sound.manifest.coverage;
  const holed = await start({ blockHoles: [501, 251] });
  const night = await own.night('block-hole', [small], [holed], { HUBLEDGER_INDEX_START: '2026-01-01' });
  assert.equal(night.manifest.coverage.first_height, first_height);
  assert.equal(night.wallets[0]!.state, 'complete');
});

test('blocks before the index that are older than CometBFT 0.38 are not read', async () => {
  const old = await start({
    earliestState: 1000,
    change(height, record) {
      if (height < 600) delete (record.block_results as Partial<typeof record.block_results>).finalize_block_events;
      return record;
    },
  });
  const night = await own.night('old', [small], [old], { HUBLEDGER_INDEX_START: '2026-03-20' });
  const heights = heightsOf(await idsOf(night));
  assert.deepEqual(
    heights,
    heightsOf(await wanted()).filter((height) => height >= night.manifest.coverage.first_height),
  );
  assert.ok(heights.length > 0);
  assert.deepEqual([night.wallets[0]!.state, night.wallets[0]!.missing], ['derived', []]);
  assert.ok(night.said.some((text) => text.includes('is not used: block 1 cannot be read')));
});

test('without any index the night ends with one line, and what is published stays', async () => {
  const node = await start({ hasIndex: false });
  await assert.rejects(own.night('none', [small], [node]), (error: Error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /no node of HUBLEDGER_RPC_URLS has a search index/);
    return true;
  });
  const both = await own.night('some', [small], [node, await start()]);
  assert.equal(both.wallets[0]!.state, 'proved', 'both nodes report the same state before and after the blocks');
});

test('without a node that tells balances nothing is proved', async () => {
  const night = await own.night('no-lcd', [small], [await start()], { lcd: [] });
  const [wallet] = night.wallets;
  assert.deepEqual([wallet!.state, wallet!.reward, wallet!.sequences], ['incomplete', null, null]);
  assert.match(wallet!.missing.join(), /HUBLEDGER_LCD_URLS/);
  assert.deepEqual(await idsOf(night), await wanted());
});

test('a node that lies about a balance makes the wallet incomplete', async () => {
  const lieBy = (change: bigint) =>
    start({
      lie: (path, body, height) => {
        if (!path.includes('/bank/') || height !== '1000') return body;
        const { balances, ...rest } = body as { balances: { denom: string; amount: string }[] };
        const lie = ({ denom, amount }: (typeof balances)[number]) => ({
          denom,
          amount: denom === 'uatom' ? String(BigInt(amount) + change) : amount,
        });
        return { ...rest, balances: balances.map(lie) };
      },
    });
  const low = await own.night('low', [small], [await start()], { lcd: [await lieBy(-1n)] });
  assert.equal(low.wallets[0]!.state, 'incomplete');
  assert.match(low.wallets[0]!.missing.join(), /^0\.000001 ATOM of payments are missing: no search index/);
  const high = await own.night('high', [small], [await start()], { lcd: [await lieBy(1n)] });
  assert.equal(high.wallets[0]!.state, 'incomplete');
});

test('rows and lots of a closed month that change with the state of nodes are restated', async () => {
  const liar = await start({
    lie: (path, body, height) => (path.includes('/bank/') && height === '43' ? { balances: [] } : body),
  });
  const before = await own.night('restated', [small], [await start()], { lcd: [liar] });
  const after = await own.night('restated', [small], [await start()]);
  assert.deepEqual([before.wallets[0]!.state, after.wallets[0]!.state], ['incomplete', 'complete']);
  const [restated] = after.manifest.restatements;
  assert.deepEqual([restated?.causes, restated?.wallets], [['proof'], 1]);
});

test('a night that ends in the middle goes on where it was', async () => {
  const ids = await wanted();
  const wallets = [small, KNOWN.depositor];
  const node = await start();
  const stop = new Error('stopped');
  await assert.rejects(own.night('resumed', wallets, [node], { stop }), stop);
  assert.ok(node.asked.length > 0);
  node.asked.length = 0;
  node.searches.length = 0;
  const night = await own.night('resumed', wallets, [node]);
  assert.deepEqual(node.asked, []);
  const froms = node.searches.flatMap((query) => /height>=(\d+)/.exec(query)?.[1] ?? []);
  assert.ok(froms.length > 0 && froms.every((from) => Number(from) > 700), 'only the last blocks are searched again');
  assert.deepEqual(await idsOf(night), ids);
});

test('a run goes on where it was if its node is killed in the middle', async () => {
  const ids = await wanted();
  const wallets = [small, KNOWN.depositor].sort();
  const dying = await start({
    onRequest: () => {
      if (dying.searches.some((query) => query.includes(wallets[1]!))) dying.close();
    },
  });
  await assert.rejects(own.night('killed', wallets, [dying]), ConfigError);
  const found = new Set(dying.searches.filter((query) => query.includes(wallets[0]!)));
  assert.ok(found.size > 0 && dying.searches.some((query) => query.includes(wallets[1]!)));
  const back = await start({ port: Number(new URL(dying.url).port) });
  const night = await own.night('killed', wallets, [back]);
  assert.ok(back.searches.length > 0 && back.searches.every((query) => !found.has(query)));
  assert.deepEqual(await idsOf(night), ids);
});

test('a run goes on if its only node dies while blocks are fetched and comes back', async () => {
  const sound = await own.night('sharer', [sharer], [await start()]);
  let left = 2;
  let restarted: Promise<SearchNode> | undefined;
  const dying = await start({
    onRequest: (path) => {
      if (path !== '/' || dying.searches.length === 0 || left-- !== 0) return; // blocks are asked in batches
      restarted = dying.close().then(() => start({ port: Number(new URL(dying.url).port) }));
    },
  });
  const night = await own.night('restarted', [sharer], [dying], { lcd: [await start()] });
  const back = await restarted!;
  assert.ok(dying.asked.length > 0 && back.asked.length > 0);
  assert.deepEqual(await rowsOf(night.folder, [sharer]), await rowsOf(sound.folder, [sharer]));
});

test('a second node takes over if the first is killed while blocks are fetched', async () => {
  let left = 2;
  const dying = await start({
    onRequest: (path) => {
      if (path === '/' && left-- === 0) dying.close(); // blocks are asked in batches
    },
  });
  const night = await own.night('taken-over', [sharer], [dying, await start()], { lcd: [await start()] });
  assert.ok(dying.asked.length > 0);
  const sound = await own.night('sharer', [sharer], [await start()]);
  assert.deepEqual(await rowsOf(night.folder, [sharer]), await rowsOf(sound.folder, [sharer]));
});

test('rows that an index lacks for a night are found in the next one, and the wallet is incomplete until then', async () => {
  const sound = await own.night('sharer', [sharer], [await start()]);
  const heights = heightsOf((await rowsOf(sound.folder, [sharer])).map(({ id }) => id));
  let indexUntil = heights.at(-1)! - 1;
  const node = await start({ indexUntil: () => indexUntil });
  const [lagging] = (await own.night('lagging', [sharer], [node])).wallets;
  assert.equal(lagging!.state, 'incomplete');
  assert.match(lagging!.missing.join(), new RegExp(`${new URL(node.url).host} ends at block ${indexUntil}, before`));
  indexUntil = 1000;
  const night = await own.night('lagging', [sharer], [node]);
  assert.deepEqual(night.wallets, sound.wallets);
  assert.deepEqual(await rowsOf(night.folder, [sharer]), await rowsOf(sound.folder, [sharer]));
});

for (const key of ['coin_received.receiver', 'withdraw_rewards.delegator', 'tx.acc_seq', 'message.sender']) {
  test(`an index without ${key} makes the wallet incomplete, and the next night is whole`, async () => {
    const sound = await own.night('sharer', [sharer], [await start()]);
    let lacked: string | undefined = key;
    const node = await start({ lacksKey: () => lacked });
    const [wallet] = (await own.night(`without-${key}`, [sharer], [node])).wallets;
    assert.equal(wallet!.state, 'incomplete');
    assert.ok(wallet!.missing.some((text) => text.includes(`${new URL(node.url).host} lacks ${key} of block`)));
    lacked = undefined;
    const night = await own.night(`without-${key}`, [sharer], [node]);
    assert.deepEqual(night.wallets, sound.wallets);
    assert.deepEqual(await rowsOf(night.folder, [sharer]), await rowsOf(sound.folder, [sharer]));
  });
}

test('a night that publishes an incomplete wallet ends with 6, and status with 1, until a node has what is missing', async () => {
  const rows = await rowsOf((await own.night('found', [small], [await start()])).folder, [small]);
  const receipt = rows.find(({ received_denom, sent_denom }) => received_denom === 'uatom' && sent_denom === null)!;
  const lost = Number.parseInt(receipt.id, 10);
  const holed = await start({ searchHoles: [lost] });
  const other = await start();
  const environment = (rpc: readonly SearchNode[]) => environmentOf('lacking', rpc, other);
  const coins = `${formatDecimal(receipt.received_amount!, 6)} ATOM of receipts`;
  for (const _ of ['published', 'nothing new']) {
    const { code, out } = await runBeside(['nightly', '--json'], environment([holed]));
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const said = events.find(({ state }) => state !== undefined);
    assert.deepEqual([code, said.state], [6, 'incomplete'], out);
    assert.ok(said.missing[0].startsWith(`${coins} are missing: no search index of your nodes has them. Add`), out);
    assert.deepEqual(events.at(-1).incomplete, [small]);
    assert.equal(events.find(({ url }) => url !== undefined).url, `http://localhost:0/#addresses=${small}`);
  }
  const status = await runBeside(['status'], environment([holed]));
  assert.equal(status.code, 1);
  assert.match(status.out, new RegExp(`^✗ ${small} is incomplete: ${coins.replaceAll('.', '\\.')} are missing`, 'm'));
  const { code } = await runBeside(['nightly', '--json'], environment([holed, other]));
  assert.equal(code, 0);
  assert.equal((await runBeside(['status'], environment([holed, other]))).code, 0);
});

test('a server with its schedule runs a night at once if the last block is old, and 6 is no failure', async (t) => {
  const [holed, other] = [await start({ hasIndex: false, earliestState: 2000 }), await start()];
  await own.night('old', [small], [other], { lcd: [holed] });
  const words = ['serve', '--with-schedule', '--nightly', NEVER, '--watch-releases', NEVER];
  const child = spawn(process.execPath, [...loaders, program, ...words], {
    env: { PATH: process.env.PATH, ...environmentOf('old', [other], holed), HUBLEDGER_NOW: '2026-04-17T12:00:00Z' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let log = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    log += text;
    if (!child.killed && /job has (ended|failed)/.test(log)) child.kill('SIGTERM');
  }
  assert.match(log, /"reason":"the last block is \d+ hours old","msg":"a nightly run starts now"/);
  assert.match(log, /"incomplete":\["cosmos1/);
  assert.match(log, /"job":"nightly","msg":"job has ended"/);
  assert.doesNotMatch(log, /job has failed/);
  assert.match(log, /"msg":"closed"\}\n$/);
  assert.deepEqual(await closed, [0, null]);
});
