import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedServer, WALLETS } from '../../harness.js';

const server = sharedServer();

const API = '/api/tax/v1';
const HEADER = 'x-ignored-parameters';
const ask = (report: string, query: Record<string, string>) =>
  server.ask(`${API}/${report}?${new URLSearchParams(query)}`);
const post = (report: string, body: object, query = '') =>
  server.ask(`${API}/${report}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const { short, silent } = WALLETS;
const OF_WALLETS = ['events', 'journal', 'positions', 'summary', 'balances', 'asset-review'];
const OF_ALL = ['price-series', 'tags', 'catalog', 'methodology', 'recognition-policy'];

for (const report of [...OF_WALLETS, ...OF_ALL]) {
  test(`${report} tells which parameters it ignored, and is otherwise the same`, async () => {
    const known: Record<string, string> = OF_WALLETS.includes(report) ? { address: short } : {};
    if (report === 'journal') known.format = 'json';
    const plain = await ask(report, known);
    assert.equal(plain.headers.get(HEADER), null);
    const answer = await ask(report, { ...known, yaer: '2026', 'größe, 1': '' });
    assert.equal(answer.headers.get(HEADER), 'yaer, gr%C3%B6%C3%9Fe%2C%201');
    assert.match(answer.headers.get('access-control-expose-headers')!, /X-Ignored-Parameters/);
    assert.notEqual(answer.headers.get('etag'), plain.headers.get('etag'));
    const { ignored, ...rest } = answer.json<Record<string, unknown>>();
    assert.deepEqual(ignored, ['yaer', 'größe, 1']);
    assert.deepEqual(rest, plain.json());
  });
}

test('every day of a wallet leaves no meaning to one of them, which is told', async () => {
  const every = { address: short, history: 'true' };
  const answer = await ask('balances', { date: '2026-01-05', ...every, yaer: '2026' });
  assert.equal(answer.status, 200, answer.text);
  const { ignored, ...rest } = answer.json<Record<string, unknown>>();
  assert.deepEqual([ignored, rest], [['date', 'yaer'], (await ask('balances', every)).json()]);
  for (const date of ['2026-02-30', '2035-01-01'])
    assert.equal((await ask('balances', { date, ...every })).status, 400);
});

test('CSV tells it by header, also from the cache and in a 304', async () => {
  const query = { address: short, format: 'csv', yaer: '2026' };
  for (const _ of ['made', 'kept from now on', 'kept']) {
    assert.equal((await ask('events', query)).headers.get(HEADER), 'yaer');
  }
  const etag = (await ask('events', query)).headers.get('etag')!;
  const url = `${API}/events?${new URLSearchParams(query)}`;
  const unchanged = await server.ask(url, { headers: { 'if-none-match': etag } });
  assert.deepEqual([unchanged.status, unchanged.headers.get(HEADER)], [304, 'yaer']);
});

test('a body tells its unknown members, and every parameter of the query that it stands for', async () => {
  const long = 'x'.repeat(39);
  const answer = await post('events', { address: silent, asset_decision: {}, [`${long}😀`]: 1 }, '?type=rewards');
  assert.equal(answer.status, 200, answer.text);
  const { ignored, type } = answer.json<{ ignored: string[]; type: string }>();
  assert.deepEqual([ignored, type], [['asset_decision', long, 'type'], 'all']);
  assert.equal(answer.headers.get(HEADER), `asset_decision, ${long}, type`);
});

test('a list with tags tells the rows that they reached and what was ignored', async () => {
  const tags = JSON.stringify({ ['AB'.repeat(32)]: 'gift' });
  const answer = await ask('events', { address: short, tags, taggs: '{}' });
  assert.deepEqual(answer.json<{ ignored: string[] }>().ignored, ['taggs']);
});

test('at most twenty names are told, forty characters of each', async () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}-${'x'.repeat(100)}`, '']));
  const { ignored } = (await ask('events', { address: silent, ...many })).json<{ ignored: string[] }>();
  assert.deepEqual([ignored.length, ...new Set(ignored.map((name) => name.length))], [20, 40]);
});
