import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyAgainstIndex, verifyWallets } from '../../pipeline/own-wallets/verify-wallets.js';
import { generationDir } from '../../pipeline/publish/generation.js';
import type { Check } from '../../pipeline/publish/verify/verify.js';
import { NightCase, SAMPLE_CHAIN } from '../pipeline/night-case.js';
import { manifestText, OwnCase, type OwnNight, rowsOf } from './own-night.js';
import { KNOWN, type SearchNode, startSearchNode } from './search-node.js';

const WALLETS = Object.values(KNOWN);
const own = new OwnCase();
const whole = new NightCase(SAMPLE_CHAIN);
const nodes: SearchNode[] = [];
let fullFolder: string;
let night: OwnNight;

before(async () => {
  nodes.push(await startSearchNode());
  fullFolder = generationDir(whole.path('whole'), (await whole.published('whole')).generation);
  night = await own.night('own', WALLETS, nodes);
});

after(async () => {
  for (const node of nodes) await node.close();
  own.remove();
  whole.remove();
});

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

test('what a wallet held before the index is derived if no node has the state before it', () => {
  for (const { address, state, opening, missing, balances, sequences } of night.wallets) {
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

test('a night in two parts has the bytes of a night in one, and searches only new heights', async () => {
  let latest = 600;
  const node = await startSearchNode({ latest: () => latest });
  nodes.push(node);
  await own.night('parts', [KNOWN.small], [node]);
  const first = node.searches.length;
  latest = 1000;
  const parts = await own.night('parts', [KNOWN.small], [node]);
  assert.ok(node.searches.slice(first).every((query) => query.includes('>=601 AND ')));
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
  assert.ok(node.searches.every((query) => !query.includes(KNOWN.small)));
  assert.equal(new Set((await rowsOf(both.folder, WALLETS)).map(({ address }) => address)).size, 2);
  const left = await own.night('grows', [KNOWN.small], [node]);
  assert.equal(manifestText(left.folder), manifestText(alone.folder));
});

test('the proofs can be repeated, and a dataset of the whole chain compared with a search', async () => {
  const checksOf = async (checks: AsyncIterable<Check>) => {
    const all: Check[] = [];
    for await (const check of checks) all.push(check);
    return all;
  };
  const urls = [nodes[0]!.url];
  const repeated = await checksOf(verifyWallets(night.folder, urls, 'uatom'));
  assert.deepEqual([repeated.length, repeated.every(({ ok }) => ok)], [WALLETS.length, true]);
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
