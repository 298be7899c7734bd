import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MarketFailure, parsePrice } from '../../../pipeline/prices/market-source.js';
import { coingeckoSource } from '../../../pipeline/prices/sources/coingecko.js';
import { loadReference } from '../../../pipeline/reference.js';
import { StandInMarkets } from '../stand-in-markets.js';

let markets: StandInMarkets;
before(async () => {
  markets = await StandInMarkets.open();
});
after(() => markets.close());

const HOST = 'api.coingecko.com';
const TODAY = '2026-01-30';
const { assets, priceMarkets } = loadReference();
const source = (fetchImplementation: typeof fetch) =>
  coingeckoSource({
    assets,
    priceMarkets,
    from: '2026-01-02',
    to: '2026-01-04',
    today: TODAY,
    fetch: fetchImplementation,
    wait: markets.wait,
  });
const ask = (asset: string, fetchImplementation = markets.fetch) =>
  source(fetchImplementation).quotes(asset, '2026-01-02', '2026-01-04');

test('the price at midnight is the close of the day that ends; the present one is none', async () => {
  markets.figures = {
    [HOST]: {
      cosmos: { '2026-01-01': '2', '2026-01-02': '2.0987654321098765', '2026-01-04': '2.1e0', '2026-01-05': '3' },
    },
  };
  const answer = await ask('cosmos');
  assert.equal(answer.market, 'cosmos');
  assert.deepEqual(
    [...answer.usd],
    [
      ['2026-01-02', parsePrice('2.0987654321098765')],
      ['2026-01-04', parsePrice('2.1')],
    ],
  );
});

test('the range is wide enough for an answer by day, and no wider than the last year', async () => {
  const ranges: [number, number][] = [];
  const fetchRange: typeof fetch = (input) => {
    const { searchParams } = new URL(String(input));
    ranges.push([Number(searchParams.get('from')), Number(searchParams.get('to'))]);
    return Promise.resolve(new Response('{"prices":[]}'));
  };
  await ask('cosmos', fetchRange);
  await source(fetchRange).quotes('cosmos', '2024-01-01', '2026-01-29');
  const days = ranges.map(([from, to]) => Math.floor((to - from) / 86_400));
  assert.deepEqual(days, [92, 364]);
});

test('what fails is told, and whether to go on', async () => {
  const fails = async (asset: string, unreachable: boolean) => {
    const isExpected = (error: unknown) => error instanceof MarketFailure && error.unreachable === unreachable;
    await assert.rejects(() => ask(asset), isExpected);
  };
  markets.figures = { [HOST]: {} };
  await fails('axelar', false);
  markets.figures = { [HOST]: 429 };
  await fails('cosmos', true);
  markets.figures = {};
  await fails('cosmos', true);
  await assert.rejects(() => ask('cosmos', () => Promise.resolve(new Response('{"error":"x"}'))), MarketFailure);
  assert.deepEqual([source(markets.fetch).lists('cosmos'), source(markets.fetch).lists('nobody')], [true, false]);
});
