import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { coverageOf, WHOLE_INDEX } from '../../pipeline/books/reports/coverage.js';
import type { RecordedEvent } from '../../pipeline/chain/block-record.js';
import { recordAt, type SignedRecord } from '../chain/validator-sets.js';
import { KNOWN, type SearchNode, type SearchNodeOptions, startSearchNode } from './search-node.js';
import { rowsOf, WalletCase } from './wallet-night.js';

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

const { small } = KNOWN;
const idsOf = async (folder: string) => (await rowsOf(folder, [small])).map(({ id }) => id);
let sound: Promise<string[]> | undefined;

/** Ids of the wallet's rows by two honest nodes. */
function soundIds(): Promise<string[]> {
  sound ??= Promise.all([start(), start()]).then(async (both) => {
    const night = await own.night('sound', [small], both);
    assert.deepEqual([night.wallets[0]!.state, night.wallets[0]!.unconfirmed], ['proved', []]);
    return idsOf(night.folder);
  });
  return sound;
}

/** Two heights at which the wallet has rows and a transaction succeeded. */
async function busyHeights(): Promise<[number, number]> {
  const heights = [...new Set((await soundIds()).map((id) => Number.parseInt(id, 10)))];
  const busy = heights.filter((height) => recordAt(height).block_results.txs_results?.some(({ code }) => !code));
  return [busy[0]!, busy[1]!];
}

const event = (type: string, values: Readonly<Record<string, string>>): RecordedEvent => ({
  type,
  attributes: Object.entries({ ...values, msg_index: '0' }).map(([key, value]) => ({ key, value })),
});

function withPayment(record: SignedRecord, from: string, to: string): SignedRecord {
  const amount = '777000000uatom';
  record.block_results
    .txs_results!.find(({ code }) => !code)!
    .events!.push(
      event('coin_spent', { spender: from, amount }),
      event('coin_received', { receiver: to, amount }),
      event('transfer', { recipient: to, sender: from, amount }),
    );
  return record;
}

/** Returns changes that add a receipt and a payment, which cancel each other out. */
async function forgery(): Promise<NonNullable<SearchNodeOptions['change']>> {
  const [first, second] = await busyHeights();
  return (height, record) => {
    if (height === first) return withPayment(record, KNOWN.sharer, small);
    return height === second ? withPayment(record, small, KNOWN.sharer) : record;
  };
}

test('with one node a wallet is complete, and says what confirms nothing', async () => {
  const night = await own.night('alone', [small], [await start()]);
  const [wallet] = night.wallets;
  assert.equal(wallet!.state, 'complete');
  assert.equal(wallet!.unconfirmed.length, 2);
  assert.match(wallet!.unconfirmed[0]!, /one node's word: name a second node on another host in HUBLEDGER_RPC_URLS/);
  assert.match(wallet!.unconfirmed[1]!, /signatures .* are not checked: .*HUBLEDGER_TRUST/);
  assert.deepEqual(await idsOf(night.folder), await soundIds());
  const coverage = coverageOf(night.manifest, WHOLE_INDEX, [small]);
  assert.equal(coverage.complete, true);
  assert.match(coverage.note, /but it is not confirmed: /);
  const again = await own.night('alone', [small], [nodes.at(-1)!, await start()]);
  assert.equal(again.wallets[0]!.state, 'proved', 'a second node that is named later confirms the stored blocks');
});

test('with one node and a trusted block the signatures are checked', async () => {
  const node = await start();
  const hash = recordAt(10).block.block_id.hash;
  const trusted = await own.night('trusted', [small], [node], { HUBLEDGER_TRUST: `10:${hash}` });
  assert.equal(trusted.wallets[0]!.unconfirmed.length, 1);
  const other = await own.night('trusted', [small], [node], { HUBLEDGER_TRUST: `10:${'A'.repeat(64)}` });
  assert.match(other.wallets[0]!.unconfirmed.join(), /no node has the block 10 with the hash of HUBLEDGER_TRUST/);
});

test('forged rows that cancel each other out are never proved', async () => {
  const liar = await start({ change: await forgery() });
  const alone = await own.night('forged', [small], [liar]);
  assert.notEqual(alone.wallets[0]!.state, 'proved');
  const both = await own.night('forged-and-honest', [small], [liar, await start()]);
  const [wallet] = both.wallets;
  assert.equal(wallet!.state, 'incomplete');
  const [first, second] = await busyHeights();
  const names = [liar, nodes.at(-1)!].map(({ url }) => new URL(url).host);
  const text = wallet!.missing.join();
  for (const part of [`${first}, ${second}`, ...names]) assert.ok(text.includes(part), `${part} in ${text}`);
  const honest = await own.night('forged-and-honest', [small], nodes.slice(-1), { allowLoss: true });
  assert.equal(honest.wallets[0]!.state, 'complete');
  assert.deepEqual(await idsOf(honest.folder), await soundIds(), 'without the liar its blocks are fetched again');
});

test('a block that the validators did not sign is replaced by the one that they signed', async () => {
  const [height] = await busyHeights();
  const liar = await start({
    change(at, record) {
      if (at === height) record.block_results.txs_results![0]!.gas_used = '1';
      return record;
    },
  });
  const night = await own.night('gas', [small], [liar, await start()]);
  assert.deepEqual(await idsOf(night.folder), await soundIds());
  const [wallet] = night.wallets;
  assert.deepEqual([wallet!.state, wallet!.unconfirmed], ['proved', []], 'both nodes have the same events');
  const trust = `1:${recordAt(1).block.block_id.hash}`;
  const alone = await own.night('gas-alone', [small], [liar], { HUBLEDGER_TRUST: trust });
  assert.equal(alone.wallets[0]!.state, 'incomplete');
  assert.match(
    alone.wallets[0]!.missing.join(),
    new RegExp(`validators signed other blocks than the nodes' ${height}: `),
  );
});

test('a garbled transaction of one node does not stop a night beside an honest node', async () => {
  const [height] = await busyHeights();
  const garbled = await start({
    change(at, record) {
      if (at === height) record.block.block.data.txs![0] = 'AAAA';
      return record;
    },
  });
  for (const order of [
    [garbled, await start()],
    [nodes.at(-1)!, garbled],
  ]) {
    const night = await own.night(`garbled-${nodes.indexOf(order[0]!)}`, [small], order);
    assert.deepEqual(await idsOf(night.folder), await soundIds());
    assert.equal(night.wallets[0]!.state, 'complete');
  }
});

test('an answer that states another height than the requested one is not used', async () => {
  const night = await own.night('cached', [small], [await start(), await start()], {
    lcd: [await start({ statedHeight: '900' })],
  });
  assert.equal(night.wallets[0]!.state, 'incomplete');
  assert.match(night.wallets[0]!.missing.join(), /no node reports its balances/);
});

const NATIVE = 'uatom';
type Coins = readonly { readonly denom: string; readonly amount: string }[];

/** Returns a lie that adds coins to the wallet's balance in the states at these heights. */
const richer =
  (amount: bigint, ...heights: readonly string[]): NonNullable<SearchNodeOptions['lie']> =>
  (path, body, height) => {
    if (!path.includes('/bank/') || !heights.includes(height)) return body;
    const { balances, ...rest } = body as { readonly balances: Coins };
    const held = BigInt(balances.find(({ denom }) => denom === NATIVE)?.amount ?? 0);
    const others = balances.filter(({ denom }) => denom !== NATIVE);
    return { ...rest, balances: [...others, { denom: NATIVE, amount: String(held + amount) }] };
  };

test('states that only one of two nodes reports prove nothing, unless both have the genesis', async () => {
  const both = [await start(), await start()];
  const lcd = both.slice(0, 1);
  const [wallet] = (await own.night('one-state', [small], both, { lcd })).wallets;
  assert.deepEqual([wallet!.state, wallet!.unconfirmed.length], ['complete', 1]);
  assert.match(wallet!.unconfirmed[0]!, /its balances rest on one node's word: name a second node/);
  const fromGenesis = await own.night('genesis', [small], both, { lcd, HUBLEDGER_INDEX_START: '2025-12-31' });
  assert.deepEqual([fromGenesis.wallets[0]!.state, fromGenesis.wallets[0]!.unconfirmed], ['proved', []]);
});

test('coins that a node adds to both states are noticed beside an honest node', async () => {
  const liar = await start({ lie: richer(777_000_000n, '43', '1000') });
  for (const order of [
    [liar, await start()],
    [nodes.at(-1)!, liar],
  ]) {
    const night = await own.night(`richer-${nodes.indexOf(order[0]!)}`, [small], order);
    const [wallet] = night.wallets;
    assert.equal(wallet!.state, 'incomplete');
    assert.match(wallet!.missing.join(), /state of it after block 1000 by \S+ differs from another node's/);
  }
});

test('a receipt that the only search index leaves out is never proved', async () => {
  const [first] = await rowsOf((await own.night('sound', [small], [await start(), await start()])).folder, [small]);
  assert.ok(first!.received_amount, 'the wallet begins with a receipt');
  const liar = await start({ searchHoles: [first!.height], lie: richer(first!.received_amount, '43') });
  const other = await start({ hasIndex: false });
  const alone = await own.night('left-out', [small], [liar, other], { lcd: [liar] });
  assert.notEqual(alone.wallets[0]!.state, 'proved');
  const beside = await own.night('left-out-beside', [small], [liar, other]);
  assert.equal(beside.wallets[0]!.state, 'incomplete');
  assert.match(beside.wallets[0]!.missing.join(), /state of it after block 43 by \S+ differs from another node's/);
  const indexed = await own.night('left-out-indexed', [small], [liar, await start()]);
  assert.equal(indexed.wallets[0]!.state, 'incomplete');
  assert.equal((await idsOf(indexed.folder)).length, (await soundIds()).length);
});
