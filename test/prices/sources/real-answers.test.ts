/** Sources against answers in the markets' own format, and every kind of refusal. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { MarketFailure, type MarketFault, parsePrice } from '../../../pipeline/prices/market-source.js';
import { marketSources } from '../../../pipeline/prices/sources/index.js';
import { loadReference } from '../../../pipeline/reference.js';
import { type Reply, StandInMarkets } from '../stand-in-markets.js';

const { assets, priceMarkets } = loadReference();
const [FROM, TO] = ['2025-11-10', '2025-11-12'];
const HOSTS: Readonly<Record<string, string>> = {
  ...{ binance: 'api.binance.com', bybit: 'api.bybit.com', coinbase: 'api.exchange.coinbase.com' },
  ...{ kraken: 'api.kraken.com', coingecko: 'api.coingecko.com' },
};

const readCase = <T>(name: string): T => JSON.parse(readFileSync(join(projectRoot(), 'test/prices', name), 'utf8'));

interface Answers {
  readonly answers: Readonly<Record<string, string>>;
  /** Asset → source → day → USD. */
  readonly quotes: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  readonly without_trades: { readonly answers: Readonly<Record<string, string>> };
}

interface Refusal extends Reply {
  readonly what: string;
  readonly source: string;
  readonly fault: MarketFault;
  readonly sentence: string;
}

const { answers, quotes, without_trades } = readCase<Answers>('market-answers.json');

let markets: StandInMarkets;
before(async () => {
  markets = await StandInMarkets.open();
});
after(() => markets.close());
beforeEach(() => {
  markets.asked = [];
  markets.waits = [];
  markets.urls = [];
});

const source = (name: string) => {
  const { fetch, wait } = markets;
  const context = { assets, priceMarkets, from: FROM, to: TO, today: '2025-11-20', fetch, wait };
  return marketSources(context).find((one) => one.name === name)!;
};
const ask = (name: string, asset: string) => source(name).quotes(asset, FROM, TO);
const repliesOf = (bodies: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(bodies).map(([market, body]) => [market, [{ status: 200, body }]]));

test('each source gives its three days of ATOM, NTRN, XRP, USDC and USDT', async () => {
  markets.replies = repliesOf(answers);
  for (const [asset, bySource] of Object.entries(quotes)) {
    assert.ok(Object.keys(bySource).length >= 2, asset);
    for (const [name, expected] of Object.entries(bySource)) {
      const { usd, unconverted } = await ask(name, asset);
      const found = Object.fromEntries([...usd].sort().map(([day, price]) => [day, price]));
      const right = Object.fromEntries(Object.entries(expected).map(([day, text]) => [day, parsePrice(text)]));
      assert.deepEqual([found, unconverted], [right, undefined], `${name} ${asset}`);
    }
  }
});

test('a day without trades has no quote', async () => {
  markets.replies = repliesOf({ ...answers, ...without_trades.answers });
  for (const [name, asset] of [
    ['kraken', 'cosmos'],
    ['binance', 'neutron-3'],
  ] as const) {
    assert.deepEqual([...(await ask(name, asset)).usd.keys()], [FROM], name);
  }
});

test('every refusal has its fault and its sentence, and no web page is repeated', async () => {
  for (const refusal of readCase<Refusal[]>('refusals.json')) {
    const { source: name, fault, sentence, ...reply } = refusal;
    const others = Object.entries(answers).filter(([market]) => !market.startsWith(HOSTS[name]!));
    markets.replies = { ...repliesOf(Object.fromEntries(others)), [HOSTS[name]!]: [reply] };
    await assert.rejects(ask(name, 'cosmos'), (error: unknown) => {
      assert.ok(error instanceof MarketFailure);
      assert.deepEqual([error.message, error.fault], [sentence, fault]);
      return true;
    });
  }
});

test('after a limit the source waits as it is told, within its bound', async () => {
  const limit = (headers: Reply['headers']): Reply => ({ status: 429, headers: headers ?? {}, body: '{}' });
  const good = { status: 200, body: answers['api.exchange.coinbase.com ATOM-USD']! };
  const market = 'api.exchange.coinbase.com ATOM-USD';
  markets.replies = { [market]: [limit({ 'retry-after': '7' }), limit({}), good] };
  assert.equal((await ask('coinbase', 'cosmos')).usd.size, 3);
  assert.deepEqual(markets.waits.slice(0, 2), [7000, 8000]);
  markets.asked = [];
  markets.waits = [];
  markets.replies = { [market]: [limit({ 'retry-after': '3600' })] };
  await assert.rejects(ask('coinbase', 'cosmos'), /limits requests/);
  assert.deepEqual(markets.asked.length, 1, 'an hour is beyond the bound');
  assert.ok(!markets.waits.includes(3_600_000));
});

test('Coinbase converts if Kraken is away; without both, the failure names the conversion', async () => {
  const away = {
    'api.kraken.com': [{ status: 503, headers: { 'content-type': 'text/html' }, body: '<html>503</html>' }],
  };
  const kept = Object.fromEntries(Object.entries(answers).filter(([market]) => !market.startsWith('api.kraken.com')));
  markets.replies = { ...repliesOf(kept), ...away };
  const { usd } = await ask('binance', 'cosmos');
  assert.equal(usd.get(FROM)?.toFixed(), '3.1030688');
  assert.equal(usd.size, 3);
  const { 'api.exchange.coinbase.com USDT-USD': _, ...without } = kept;
  markets.replies = { ...repliesOf(without), ...away, 'api.exchange.coinbase.com': [{ status: 500, body: '' }] };
  markets.asked = [];
  await assert.rejects(ask('bybit', 'cosmos'), (error: unknown) => {
    assert.ok(error instanceof MarketFailure);
    assert.equal(error.fault, 'conversion');
    assert.equal(
      error.message,
      'bybit has no rate from USDT to USD (kraken is out of service (HTTP 503); coinbase is out of service (HTTP 500))',
    );
    return true;
  });
  assert.ok(!markets.asked.includes('api.bybit.com ATOMUSDT'), 'a price that cannot be converted is not requested');
});

test('a day whose rate may still come is left open; a day without a rate anywhere has no quote', async () => {
  const rates = (days: readonly string[]) =>
    JSON.stringify({
      error: [],
      result: { USDTZUSD: days.map((day) => [Date.parse(day) / 1000, '1', '1', '1', '1', '1', '1', 1]), last: 1 },
    });
  const one = { ...answers, 'api.kraken.com USDTUSD': rates([FROM]) };
  const coinbase = 'api.exchange.coinbase.com USDT-USD';
  markets.replies = { ...repliesOf(one), [coinbase]: [{ status: 503, body: '' }] };
  const open = await ask('binance', 'cosmos');
  assert.deepEqual([[...open.usd.keys()], [...open.unconverted!.days]], [[FROM], ['2025-11-11', TO]]);
  markets.replies = repliesOf({ ...one, [coinbase]: `[[${Date.parse(FROM) / 1000},1,1,1,1,1]]` });
  const closed = await ask('binance', 'cosmos');
  assert.deepEqual([[...closed.usd.keys()], closed.unconverted], [[FROM], undefined]);
});

test('no request asks for days after the range, and none for days that CoinGecko does not return', async () => {
  markets.replies = repliesOf(answers);
  for (const name of ['binance', 'bybit', 'coinbase']) await ask(name, 'cosmos');
  const end = Date.parse(`${TO}T00:00:00Z`);
  for (const url of markets.urls.filter(({ host }) => host !== 'api.kraken.com')) {
    const { searchParams } = url;
    const last = searchParams.get('endTime') ?? searchParams.get('end')!;
    assert.equal(/^\d+$/.test(last) ? Number(last) : Date.parse(last), end, url.href);
  }
  markets.asked = [];
  await assert.rejects(source('coingecko').quotes('cosmos', '2023-11-10', '2023-11-12'), (error: unknown) => {
    assert.ok(error instanceof MarketFailure && error.fault === 'range');
    assert.equal(error.message, 'coingecko returns only the last 365 days without a key');
    return true;
  });
  assert.deepEqual(markets.asked, []);
});

test('an answer with two pairs, with a web page, or with a price that is none, is named', async () => {
  const market = 'api.kraken.com ATOMUSD';
  const candle = (close: string) => `[${Date.parse(FROM) / 1000},"1","1","1","${close}","1","1",1]`;
  for (const [body, expected] of [
    [`{"error":[],"result":{"A":[],"B":[],"last":1}}`, /^kraken ATOMUSD has an answer without daily candles$/],
    ['<html>hello</html>', /^kraken ATOMUSD has an answer without daily candles$/],
    [`{"error":[],"result":{"ATOMUSD":[${candle('NaN')}],"last":1}}`, /^not a price: "NaN"$/],
    [
      '{"error":["EGeneral:Invalid arguments"]}',
      /^kraken ATOMUSD has an unknown answer \(HTTP 200, "EGeneral:Invalid arguments"\)$/,
    ],
  ] as const) {
    markets.replies = repliesOf({ [market]: body });
    await assert.rejects(ask('kraken', 'cosmos'), (error: unknown) => {
      assert.ok(error instanceof MarketFailure && error.fault === 'unreadable' && !error.unreachable);
      assert.match(error.message, expected);
      return true;
    });
  }
});
