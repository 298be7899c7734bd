/** Nights that ask markets, against servers that answer with figures the markets published. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { priceSources } from '../../pipeline/base/disk/run-records.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { Decimal } from '../../pipeline/base/values/decimal.js';
import { readConfig } from '../../pipeline/config.js';
import { dailyPrices } from '../../pipeline/prices/daily-prices.js';
import { fetchQuotes, type PriceNight } from '../../pipeline/prices/fetch-quotes.js';
import { QuoteArchive } from '../../pipeline/prices/quote-archive.js';
import { loadReference } from '../../pipeline/reference.js';
import { DAMAGES } from '../damage.js';
import { silent, treeHashes } from '../pipeline/night-case.js';
import { type Closes, type Figures, StandInMarkets } from './stand-in-markets.js';

const reference = loadReference();
let markets: StandInMarkets;
let dataDir: string;
let priceDir: string;
before(async () => {
  markets = await StandInMarkets.open();
});
after(() => markets.close());
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'hubledger-markets-'));
  priceDir = join(dataDir, 'files');
  mkdirSync(priceDir);
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Closes that Binance and Bybit published. */
function published(source: string, from: string, to: string): Closes {
  const path = join(projectRoot(), `test/prices/real/${source}/cosmos.csv`);
  const text = readFileSync(path, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(','));
  return Object.fromEntries(lines.filter(([day]) => day! >= from && day! <= to) as [string, string][]);
}

const FROM = '2025-10-06';
const PAR = Object.fromEntries(['06', '07', '08', '09', '10'].map((day) => [`2025-10-${day}`, '1.0']));

const real = (to: string): Figures => ({
  'api.binance.com': { ATOMUSDT: published('binance', FROM, to) },
  'api.bybit.com': { ATOMUSDT: published('bybit', FROM, to) },
  'api.kraken.com': { USDTUSD: PAR },
});

interface Asked {
  readonly now: string;
  readonly until?: string;
  readonly environment?: Record<string, string>;
}

/** A night whose index goes from FROM until a day; returns the price of each day, and what was said. */
async function night({ now, until = '2025-10-10', environment = {} }: Asked) {
  const said: string[] = [];
  const config = readConfig({
    HUBLEDGER_RPC_URLS: 'http://127.0.0.1:1',
    HUBLEDGER_DATA_DIR: dataDir,
    HUBLEDGER_PRICE_DIR: priceDir,
    HUBLEDGER_NOW: now,
    ...environment,
  });
  const span = { firstTime: `${FROM}T00:00:01Z`, lastTime: `${until}T23:00:00Z` };
  const case_: PriceNight = {
    config,
    reference,
    span,
    wait: markets.wait,
    progress: { ...silent, say: (text) => void said.push(text) },
  };
  const archive = await fetchQuotes(case_, markets.fetch);
  const prices = await dailyPrices({
    priceDir,
    priceSources: config.priceSources,
    assets: reference.assets,
    methodology: reference.methodology,
    ...(archive ? { archive } : {}),
    from: FROM,
    to: until,
  });
  const atom = prices
    .filter(({ denom }) => denom === 'uatom')
    .map(({ day, usd, sources }) => `${day.slice(8)} ${usd} ${sources}`);
  return { atom, said, archive };
}

const kept = () => {
  const folder = join(dataDir, 'prices', reference.methodology.version);
  return Object.fromEntries(Object.entries(treeHashes(folder)).filter(([file]) => file.endsWith('.parquet')));
};

test('a day is asked for when it has ended, once, and stays as it was told', async () => {
  markets.figures = real('2025-10-09');
  const first = await night({ now: '2025-10-10T12:00:00Z' });
  assert.deepEqual(
    first.atom.map((line) => line.slice(0, 2)),
    ['06', '07', '08', '09'],
  );
  assert.ok(first.atom.every((line) => line.endsWith('binance,bybit')));
  const before = kept();
  markets.figures = { ...real('2025-10-10'), 'api.exchange.coinbase.com': { 'ATOM-USD': { ...PAR } } };
  const second = await night({ now: '2025-10-11T12:00:00Z' });
  assert.deepEqual(second.atom.slice(0, 4), first.atom, 'no price changes, though another source has one by now');
  assert.equal(second.atom.length, 5);
  const files = kept();
  for (const [file, hash] of Object.entries(before))
    assert.equal(files[file], hash, 'what is kept is never written again');
  assert.equal(Object.keys(files).length, Object.keys(before).length + 1);
});

test('a quote is archived with 18 decimal places, rounded once', async () => {
  const close = (usd: string): Closes => ({ [FROM]: usd });
  markets.figures = {
    'api.binance.com': {
      ATOMUSDT: close('2.05'),
      AXLUSDT: close('0.1234567890123456785'),
      INJUSDT: close('0.0000000000000000004'),
    },
    'api.kraken.com': { USDTUSD: PAR },
  };
  const asked = { now: '2025-10-08T12:00:00Z', until: FROM, environment: { HUBLEDGER_PRICE_SOURCES: 'binance' } };
  for (const archive of [(await night(asked)).archive!, (await night(asked)).archive!]) {
    const usd = (asset: string) => archive.quotes('binance', asset).get(FROM)?.usd.toFixed();
    assert.equal(usd('cosmos'), '2.05');
    assert.equal(usd('axelar'), '0.123456789012345679');
    assert.equal(usd('injective-protocol'), '0');
  }
});

test('without network nothing changes, and the night says so', async () => {
  markets.figures = real('2025-10-09');
  const { atom } = await night({ now: '2025-10-10T12:00:00Z' });
  const before = kept();
  markets.figures = {};
  const offline = await night({ now: '2025-10-11T12:00:00Z' });
  assert.deepEqual(offline.atom, atom);
  assert.deepEqual(kept(), before);
  assert.ok(offline.said.some((text) => text.startsWith('prices: kraken ')));
  assert.equal(offline.said.at(-1), 'prices: no market answered; prices stay unchanged');
});

test('quotes that are damaged end the night in a line that names the file, and their days are asked for again without it', async () => {
  markets.figures = real('2025-10-09');
  const { atom } = await night({ now: '2025-10-10T12:00:00Z' });
  const [name] = Object.keys(kept());
  const file = join(dataDir, 'prices', reference.methodology.version, name!);
  for (const damage of Object.values(DAMAGES)) {
    const bytes = readFileSync(file);
    damage(file);
    await assert.rejects(night({ now: '2025-10-10T13:00:00Z' }), (error: Error) => {
      assert.ok(error instanceof ConfigError);
      assert.ok(error.message.startsWith(`${file} is damaged: restore it from a copy, or remove its folder`));
      return true;
    });
    writeFileSync(file, bytes);
    assert.deepEqual((await night({ now: '2025-10-10T13:00:00Z' })).atom, atom);
  }
  rmSync(dirname(file), { recursive: true });
  assert.deepEqual((await night({ now: '2025-10-10T13:00:00Z' })).atom, atom);
});

test('a gap is asked for again for seven days after its day, then it stays one', async () => {
  const gap = { 'api.exchange.coinbase.com': { 'ATOM-USD': { '2025-10-06': '4.0' } } };
  const whole = { 'api.exchange.coinbase.com': { 'ATOM-USD': { '2025-10-06': '4.0', '2025-10-07': '4.1' } } };
  const until = '2025-10-07';
  const ask = async (now: string, figures: Figures) => {
    markets.figures = figures;
    return (await night({ now, until, environment: { HUBLEDGER_PRICE_SOURCES: 'coinbase' } })).atom;
  };
  assert.deepEqual(await ask('2025-10-08T01:00:00Z', gap), ['06 4000000 coinbase']);
  assert.deepEqual(await ask('2025-10-15T01:00:00Z', whole), ['06 4000000 coinbase'], 'too late');
  rmSync(join(dataDir, 'prices'), { recursive: true });
  assert.deepEqual(await ask('2025-10-08T01:00:00Z', gap), ['06 4000000 coinbase']);
  assert.deepEqual(await ask('2025-10-14T23:00:00Z', whole), ['06 4000000 coinbase', '07 4100000 coinbase']);
});

test('a gap that is filled later changes no day that has its price', async () => {
  const day = (date: string, usd: string) => ({ [date]: usd });
  const figures = (coinbase: Closes): Figures => ({
    'api.binance.com': { ATOMUSDT: { ...day('2025-10-06', '4.0'), ...day('2025-10-07', '4.0') } },
    'api.bybit.com': { ATOMUSDT: { ...day('2025-10-06', '4.6'), ...day('2025-10-07', '4.3') } },
    'api.exchange.coinbase.com': { 'ATOM-USD': coinbase },
    'api.kraken.com': { USDTUSD: PAR },
  });
  const until = '2025-10-07';
  markets.figures = figures(day('2025-10-07', '4.04'));
  const first = await night({ now: '2025-10-08T01:00:00Z', until });
  assert.deepEqual(first.atom, ['07 4040000 binance,bybit,coinbase'], 'two sources disagree on the day before');
  markets.figures = figures({ ...day('2025-10-06', '4.01'), ...day('2025-10-07', '4.04') });
  const second = await night({ now: '2025-10-09T01:00:00Z', until });
  // Bybit is rejected on the 6th now. Had that been known on the 8th, it would have been rejected on the 7th as well.
  assert.deepEqual(second.atom, ['06 4005000 binance,coinbase', ...first.atom]);
  rmSync(join(dataDir, 'prices'), { recursive: true });
  const atOnce = await night({ now: '2025-10-09T01:00:00Z', until });
  assert.deepEqual(atOnce.atom, ['06 4005000 binance,coinbase', '07 4020000 binance,coinbase']);
});

test('days before the first night are asked for once, however old', async () => {
  markets.figures = real('2025-10-10');
  const { atom } = await night({ now: '2026-03-01T00:00:00Z' });
  assert.equal(atom.length, 5);
  markets.asked = [];
  await night({ now: '2026-03-02T00:00:00Z' });
  assert.ok(!markets.asked.includes('api.binance.com ATOMUSDT'), 'the day has a price');
});

test('each day another asset is the first that is asked for after the native coin', async () => {
  const order = async (now: string) => {
    markets.asked = [];
    markets.figures = { 'api.coingecko.com': {} };
    await night({ now, environment: { HUBLEDGER_PRICE_SOURCES: 'coingecko' } });
    return markets.asked.map((request) => request.split(' ')[1]!);
  };
  const [one, other] = [await order('2025-10-11T12:00:00Z'), await order('2025-10-12T12:00:00Z')];
  assert.deepEqual([one[0], other[0]], ['cosmos', 'cosmos']);
  assert.notEqual(one[1], other[1]);
  assert.deepEqual([...one].sort(), [...other].sort());
});

test('a recording, and files alone, ask nobody', async () => {
  markets.asked = [];
  await night({ now: '2026-03-01T00:00:00Z', environment: { HUBLEDGER_RPC_URLS: `file://${dataDir}` } });
  await night({ now: '2026-03-01T00:00:00Z', environment: { HUBLEDGER_PRICE_SOURCES: 'none' } });
  assert.deepEqual(markets.asked, []);
  assert.deepEqual(readdirSync(dataDir), ['files']);
});

const DOWN: Figures = {};
const ATOM_UNTIL_10 = ['2025-10-06', '2025-10-07', '2025-10-08', '2025-10-09', '2025-10-10'];

test('days for which no market answered are known, until one does', async () => {
  markets.figures = DOWN;
  const first = await night({ now: '2025-10-11T12:00:00Z' });
  assert.deepEqual(first.archive!.unreached.get('cosmos'), ATOM_UNTIL_10);
  markets.figures = real('2025-10-09');
  const second = await night({ now: '2025-10-12T12:00:00Z' });
  assert.deepEqual(second.archive!.unreached.get('cosmos'), undefined, 'the 10th has no price, but markets answered');
  assert.equal(second.atom.length, 4);
  markets.figures = DOWN;
  assert.deepEqual((await night({ now: '2025-10-13T12:00:00Z' })).archive!.unreached.get('cosmos'), undefined);
});

test('a price that cannot be converted is asked for again, however old its day is', async () => {
  const { 'api.kraken.com': _, ...unconverted } = real('2025-10-10');
  const environment = { HUBLEDGER_PRICE_SOURCES: 'binance,bybit' };
  markets.figures = unconverted;
  const first = await night({ now: '2026-03-01T12:00:00Z', environment });
  assert.deepEqual(first.atom, []);
  assert.ok(!existsSync(join(dataDir, 'prices')), 'nothing is stored as asked');
  const cause = 'no rate from USDT to USD (kraken cannot be reached (';
  for (const name of ['binance', 'bybit']) {
    const said = first.said.find((text) => text.startsWith(`prices: ${name} has ${cause}`));
    assert.match(said!, /: no quotes of cosmos, .*neutron-3.*; the next run asks again$/);
  }
  markets.figures = real('2025-10-10');
  assert.equal((await night({ now: '2026-03-02T12:00:00Z', environment })).atom.length, 5);
});

test('quotes of an earlier methodology are asked for again', async () => {
  const folder = join(dataDir, 'prices/1.1.0');
  const old = await QuoteArchive.open(dataDir, '1.1.0');
  const none = { asset: 'cosmos', source: 'binance', market: 'ATOMUSDT', usd: null, fetched_at: '2025-10-11 00:00:00' };
  await old.add(ATOM_UNTIL_10.map((day) => ({ ...none, day })));
  const before = treeHashes(folder);
  markets.figures = real('2025-10-10');
  assert.equal((await night({ now: '2026-03-01T12:00:00Z' })).atom.length, 5);
  assert.deepEqual(treeHashes(folder), before);
});

test('quotes of an earlier methodology stay in use where the current one says so; those of a later version go first', async () => {
  const one = { asset: 'cosmos', source: 'binance', market: 'ATOMUSDT', fetched_at: '2025-10-11 00:00:00' };
  const quotesOf = async (version: string, quotes: Readonly<Record<string, string>>) => {
    const archive = await QuoteArchive.open(dataDir, version);
    await archive.add(Object.entries(quotes).map(([day, usd]) => ({ ...one, day, usd: new Decimal(usd) })));
  };
  await quotesOf('1.2.0', { '2025-10-06': '4.1', '2025-10-07': '4.2', '2025-10-08': '4.3' });
  await quotesOf('1.3.0', { '2025-10-06': '4.5', '2025-10-07': '4.6' });
  await quotesOf('1.3.0', { '2025-10-06': '4.9' }); // within a version the first quote stays
  await quotesOf('1.1.0', { '2025-10-09': '1' });
  await quotesOf('99.0.0', { '2025-10-09': '1' });
  mkdirSync(join(dataDir, 'prices/1.3.0-copy/000001'), { recursive: true });
  assert.equal(reference.methodology.parameters.quotes_since, '1.2.0');
  markets.figures = {};
  const { atom } = await night({ now: '2026-03-01T12:00:00Z', environment: { HUBLEDGER_PRICE_SOURCES: 'binance' } });
  assert.deepEqual(atom, ['06 4500000 binance', '07 4600000 binance', '08 4300000 binance']);
});

test('a market that is not listed is reported once, and does not stop the other assets of its source', async () => {
  const { 'api.binance.com': atom, ...others } = real('2025-10-10');
  markets.figures = { ...others, 'api.binance.com': { AXLUSDT: (atom as Record<string, Closes>).ATOMUSDT! } };
  const asked = { now: '2025-10-11T12:00:00Z', environment: { HUBLEDGER_PRICE_SOURCES: 'binance' } };
  const first = await night(asked);
  const sentence = /^prices: binance does not list ATOMUSDT \(HTTP 400, .*\): it has no quotes of cosmos$/;
  assert.equal(first.said.filter((text) => sentence.test(text)).length, 1);
  assert.equal(first.archive!.quotes('binance', 'axelar').size, 5);
  assert.ok(!(await night({ ...asked, now: '2025-10-12T12:00:00Z' })).said.some((text) => sentence.test(text)));
  assert.ok(priceSources.read(dataDir)!.sources.binance!.unlisted.includes('ATOMUSDT'));
});

test('nights in which a source gives nothing are counted once a day, and forgotten after a quote', async () => {
  const nights = () => priceSources.read(dataDir)!.sources.binance!.silent_nights.length;
  const { 'api.binance.com': _, ...others } = real('2025-10-10');
  const counts: number[] = [];
  for (const now of ['2025-10-07T01:00:00Z', '2025-10-08T01:00:00Z', '2025-10-08T02:00:00Z', '2025-10-09T01:00:00Z']) {
    markets.figures = others;
    await night({ now });
    counts.push(nights());
  }
  markets.figures = real('2025-10-10');
  await night({ now: '2025-10-10T01:00:00Z' });
  assert.deepEqual([...counts, nights()], [1, 2, 2, 3, 0]);
  markets.figures = {};
  await night({ now: '2025-10-10T02:00:00Z' });
  assert.equal(nights(), 0, 'the source gave a quote on the same day');
});

test('an index whose blocks are old asks for no later day', async () => {
  markets.figures = real('2025-10-10');
  markets.urls = [];
  await night({ now: '2026-10-11T12:00:00Z' });
  const ends = markets.urls.flatMap(({ searchParams }) => searchParams.get('endTime') ?? []);
  assert.ok(ends.length > 0 && ends.every((end) => Number(end) === Date.parse('2025-10-10T00:00:00Z')));
  const coingecko = markets.urls.filter(({ host }) => host === 'api.coingecko.com');
  assert.deepEqual(coingecko, [], 'its year begins after the index');
  markets.asked = [];
  await night({ now: '2026-10-12T12:00:00Z' });
  assert.ok(!markets.asked.some((request) => request.endsWith(' ATOMUSDT')));
});
