import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { sharedServer, startServer } from '../harness.js';
import { recordedContent } from '../published.js';

interface Series {
  readonly chain: string;
  readonly denom: string;
  readonly methodology_version: string;
  readonly points: readonly { date: string; usd: number; found: boolean; quotes: readonly object[]; reason: string }[];
}

const PATH = '/api/tax/v1/price-series';

const QUOTED = 'binance 2.088,bybit 2.092,coingecko 4.06 rejected';
const content = { ...recordedContent(), quotes: { uatom: [['2026-01-02', QUOTED]] as const } };
const unreached_prices = [{ denom: 'uatom', symbol: 'ATOM', days: ['2026-01-01'] }];
const server = sharedServer({ content, manifest: { unreached_prices } });
const NO_PRICE = 'No price was published for that day.';
const UNREACHED = 'No market could be reached on that day; the next run asks again.';

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);

test('a point a day; days without a price say so', async () => {
  const answer = await get({ start: '2025-12-30', end: '2026-01-03' });
  assert.deepEqual(answer.json<Series>(), {
    chain: 'cosmoshub',
    denom: 'uatom',
    methodology_version: loadReference().methodology.version,
    points: [
      { date: '2025-12-30', usd: 1.98, found: true, quotes: [], reason: '' },
      { date: '2025-12-31', usd: 0, found: false, quotes: [], reason: NO_PRICE },
      { date: '2026-01-01', usd: 0, found: false, quotes: [], reason: UNREACHED },
      {
        ...{ date: '2026-01-02', usd: 2.09, found: true, reason: '' },
        quotes: [
          { source: 'binance', usd: 2.088, rejected: false },
          { source: 'bybit', usd: 2.092, rejected: false },
          { source: 'coingecko', usd: 4.06, rejected: true },
        ],
      },
      { date: '2026-01-03', usd: 2.18, found: true, quotes: [], reason: '' },
    ],
  });
});

test('without a range: the 90 days before today, and today; a recording ends with its index', async (t) => {
  const rangeOf = ({ points }: Series) => [points.length, points[0]!.date, points.at(-1)!.date];
  assert.deepEqual(rangeOf((await get({})).json()), [91, '2026-01-14', '2026-04-14']);
  const ofNode = await startServer({ environment: { HUBLEDGER_RPC_URLS: 'https://node.example' } });
  t.after(() => ofNode.close());
  assert.deepEqual(rangeOf((await ofNode.ask(PATH)).json()), [91, '2026-03-03', '2026-06-01']);
});

test('730 days between the ends are answered, 731 are not, nor an end before its start', async () => {
  assert.equal((await get({ start: '2024-04-01', end: '2026-04-01' })).json<Series>().points.length, 731);
  for (const range of [
    { start: '2024-04-01', end: '2026-04-02' },
    { start: '2026-04-02', end: '2026-04-01' },
  ]) {
    const refused = await get(range);
    assert.deepEqual([refused.status, refused.json().code], [400, 'bad_request']);
  }
  assert.match(
    (await get({ start: '2026-04-02', end: '2026-04-01' })).json().detail,
    /2026-04-02 is later than 2026-04-01/,
  );
  const { detail } = (await get({ start: '2030-01-02' })).json();
  assert.match(detail, /^start: is after the end, which is today unless you send it/); // no date that the request lacks
});

test('other names of the network, no other denoms', async () => {
  assert.equal((await get({ chain: 'cosmoshub-4' })).json<Series>().chain, 'cosmoshub');
  assert.equal((await get({ denom: 'factory/x/y' })).status, 400);
  const osmo = 'ibc/14F9BC3E44B8A9C1BE1FB08980FAB87034C9905EF17CF2F5008FC085218811CC';
  const series = (await get({ denom: osmo, start: '2026-01-02', end: '2026-01-02' })).json<Series>();
  assert.deepEqual(
    [series.denom, series.points],
    [osmo, [{ date: '2026-01-02', usd: 0, found: false, quotes: [], reason: NO_PRICE }]],
  );
});

test('CSV', async () => {
  const csv = await get({ start: '2026-01-01', end: '2026-01-02', format: 'csv' });
  assert.equal(
    csv.text,
    [
      'date,usd,found,quotes,reason',
      `2026-01-01,0,false,,${UNREACHED}`,
      '2026-01-02,2.09,true,"binance 2.088, bybit 2.092, coingecko 4.06 (rejected)",',
      '',
    ].join('\r\n'),
  );
  assert.equal(
    csv.headers.get('content-disposition'),
    'attachment; filename="price-series-uatom-2026-01-01-2026-01-02.csv"',
  );
});
