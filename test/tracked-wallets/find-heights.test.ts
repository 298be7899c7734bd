import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { SearchClient } from '../../pipeline/chain/nodes/search-client.js';
import { HEIGHTS_MAX, HeightFinder } from '../../pipeline/tracked-wallets/find-heights.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-heights-'));
/** A node whose index has a transaction of the wallet in each block. */
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://node');
  const [, reached] = /^"block\.height=(\d+)"$/.exec(searchParams.get('query') ?? '') ?? [];
  if (reached !== undefined) {
    const block = { header: { height: reached } };
    return void response.end(JSON.stringify({ result: { blocks: [{ block }], total_count: '1' } }));
  }
  if (pathname === '/status') {
    return void response.end(JSON.stringify({ result: { sync_info: { earliest_block_height: '1' } } }));
  }
  const [, from, to] = /height>=(\d+) AND .*height<=(\d+)/.exec(searchParams.get('query')!)!.map(Number);
  const [page, size] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))];
  const count = searchParams.get('query')!.includes('message.sender') ? to! - from! + 1 : 0;
  const shown = Math.max(Math.min(size, count - (page - 1) * size), 0);
  const txs = [...Array(shown).keys()].map((i) => ({ height: String(from! + (page - 1) * size + i) }));
  const list = pathname === '/tx_search' ? { txs } : { blocks: [] };
  response.end(JSON.stringify({ result: { ...list, total_count: String(count) } }));
});
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function finderUntil(last: number): HeightFinder {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new SearchClient([url], { signal: new AbortController().signal, say: () => {} });
  return new HeightFinder(folder, client, { from: 1, last, earliest: 1 }, () => {});
}

test('a wallet may have 20,000 heights; beyond, those of earlier runs are kept', async () => {
  const most = await finderUntil(HEIGHTS_MAX).ofWallet('cosmos1busy');
  assert.deepEqual([most.heights.length, most.isTooLarge], [HEIGHTS_MAX, false]);
  const beyond = await finderUntil(HEIGHTS_MAX + 1).ofWallet('cosmos1busy');
  assert.deepEqual([beyond.heights.length, beyond.isTooLarge, beyond.until], [HEIGHTS_MAX, true, HEIGHTS_MAX]);
  const first = await finderUntil(HEIGHTS_MAX + 1).ofWallet('cosmos1other');
  assert.deepEqual([first.heights.length, first.isTooLarge], [0, true]);
});

test('heights before the index are found only by a run that begins with the genesis', async () => {
  await finderUntil(50).ofWallet('cosmos1old');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new SearchClient([url], { signal: new AbortController().signal, say: () => {} });
  const later = await new HeightFinder(folder, client, { from: 41, last: 60, earliest: 1 }, () => {}).ofWallet(
    'cosmos1old',
  );
  assert.deepEqual([later.heights[0], later.heights.length], [41, 20]);
});
