import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MarketFailure, parsePrice } from '../../../pipeline/prices/market-source.js';
import { exchangeSources } from '../../../pipeline/prices/sources/exchanges.js';
import { loadReference } from '../../../pipeline/reference.js';
import { StandInMarkets } from '../stand-in-markets.js';

const { assets, priceMarkets } = loadReference();
const FROM = '2025-10-08';
const TO = '2025-10-10';

let markets: StandInMarkets;
before(async () => {
  markets = await StandInMarkets.open();
});
after(() => markets.close());

const sources = () =>
  exchangeSources({
    assets,
    priceMarkets,
    from: FROM,
    to: TO,
    today: '2025-10-11',
    fetch: markets.fetch,
    wait: markets.wait,
  });
const source = (name: string) => sources().find((one) => one.name === name)!;
const told = async (name: string, asset = 'cosmos') =>
  Object.fromEntries((await source(name).quotes(asset, FROM, TO)).usd);

/** Closes of ATOM on three days, one of them before the range. */
const ATOM = { '2025-10-07': '4.3', '2025-10-08': '4.2010', '2025-10-10': '2.946' };
const expected = { '2025-10-08': parsePrice('4.201'), '2025-10-10': parsePrice('2.946') };

test('every exchange is a source', () => {
  assert.deepEqual(
    sources().map(({ name }) => name),
    ['binance', 'bybit', 'coinbase', 'kraken'],
  );
});

test('closes in USD are taken as they are written', async () => {
  markets.figures = {
    'api.kraken.com': { ATOMUSD: ATOM },
    'api.exchange.coinbase.com': { 'ATOM-USD': ATOM },
  };
  assert.deepEqual(await told('kraken'), expected);
  assert.deepEqual(await told('coinbase'), expected);
});

test('closes in USDT are converted at the close of USDT; a day without one has no quote', async () => {
  markets.figures = {
    'api.binance.com': { ATOMUSDT: ATOM },
    'api.bybit.com': { ATOMUSDT: ATOM },
    'api.kraken.com': { USDTUSD: { '2025-10-08': '0.5' } },
  };
  for (const name of ['binance', 'bybit']) {
    assert.deepEqual(await told(name), { '2025-10-08': parsePrice('2.1005') }, name);
  }
});

test('an asset that the exchange does not list is not asked for', async () => {
  markets.asked = [];
  assert.equal(source('kraken').lists('agoric'), false);
  assert.deepEqual(markets.asked, []);
});

test('out of reach, over the limit, or a market that is gone', async () => {
  const fails = async (name: string, unreachable: boolean) => {
    await assert.rejects(
      () => source(name).quotes('cosmos', FROM, TO),
      (error) =>
        error instanceof MarketFailure && error.unreachable === unreachable && error.message.startsWith(`${name} `),
    );
  };
  markets.figures = { 'api.exchange.coinbase.com': 503 };
  await fails('kraken', true);
  await fails('coinbase', true);
  markets.figures = { 'api.exchange.coinbase.com': 429, 'api.binance.com': {} };
  await fails('coinbase', true);
  await fails('coinbase', true);
  markets.figures = { 'api.binance.com': {}, 'api.kraken.com': { USDTUSD: ATOM } };
  await fails('binance', false);
});
