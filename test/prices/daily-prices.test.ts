import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { projectRoot } from '../../pipeline/base/project.js';
import { Decimal } from '../../pipeline/base/values/decimal.js';
import {
  dailyPrices,
  type PriceOptions,
  priceGaps,
  type ShareRate,
  sharePrices,
  unreadFiles,
} from '../../pipeline/prices/daily-prices.js';
import { assetFileName, fileQuotes, sourceFolders } from '../../pipeline/prices/price-files.js';
import type { Asset, Methodology, Price } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';

async function read(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-price-file-'));
  mkdirSync(join(folder, 'x'));
  writeFileSync(join(folder, 'x/cosmos.csv'), text);
  try {
    const quotes = await fileQuotes(folder, 'x', 'cosmos');
    return Object.fromEntries([...quotes].map(([day, { usd }]) => [day, usd]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('LF and CRLF, with and without an end of the last line, are the same file', async () => {
  const quotes = { '2026-01-02': new Decimal('2.09'), '2026-01-04': new Decimal(2) };
  assert.deepEqual(await read('date,usd\n2026-01-02,2.09\n2026-01-04,2\n'), quotes);
  assert.deepEqual(await read('date,usd\r\n2026-01-02,2.09\r\n2026-01-04,2.00\r\n'), quotes);
  assert.deepEqual(await read('date,usd\n2026-01-02,2.09\n2026-01-04,2'), quotes);
  assert.deepEqual(await read('date,usd\r\n2026-01-02,2.09\n2026-01-04,2\r\n'), quotes);
  assert.deepEqual(await read('date,usd\n'), {});
});

test('a byte order mark is read over, before LF and CRLF alike', async () => {
  const quotes = { '2026-01-02': new Decimal('2.09') };
  assert.deepEqual(await read('\ufeffdate,usd\n2026-01-02,2.09\n'), quotes);
  assert.deepEqual(await read('\ufeffdate,usd\r\n2026-01-02,2.09\n'), quotes);
  assert.deepEqual(await read('\ufeffdate,usd'), {});
});

test('every decimal of a quote is kept', async () => {
  const usd = '0.000000123456789012345678901';
  assert.equal((await read(`date,usd\n2026-01-02,${usd}\n`))['2026-01-02']!.toFixed(), usd);
  assert.equal((await read(`date,usd\n2026-01-02,0.5${'0'.repeat(30)}\n`))['2026-01-02']!.toFixed(), '0.5');
});

const malformed: [string, string, RegExp][] = [
  ['empty', '', /x\/cosmos.csv:1: the header must be date,usd/],
  ['other header', 'day,price\n', /:1: the header/],
  ['two byte order marks', '\ufeff\ufeffdate,usd\n', /:1: the header/],
  ['a byte order mark in another line', 'date,usd\n\ufeff2026-01-02,2\n', /:2: must be/],
  ['old Mac line ends', 'date,usd\r2026-01-02,2\r', /:1: the header/],
  ['blank line', 'date,usd\n2026-01-02,2\n\n2026-01-03,2\n', /:3: must be/],
  ['no price', 'date,usd\n2026-01-02,\n', /:2: must be/],
  ['third column', 'date,usd\n2026-01-02,2,1\n', /:2: must be/],
  ['spaces', 'date,usd\n2026-01-02, 2\n', /:2: must be/],
  ['exponent', 'date,usd\n2026-01-02,2e-7\n', /:2: must be/],
  ['negative', 'date,usd\n2026-01-02,-2\n', /:2: must be/],
  ['not a number', 'date,usd\n2026-01-02,NaN\n', /:2: must be/],
  ['comma for the point', 'date,usd\n2026-01-02,"2,1"\n', /:2: must be/],
  ['more places than are kept', `date,usd\n2026-01-02,0.${'1'.repeat(31)}\n`, /:2: more than 30 decimal places/],
  ['impossible day', 'date,usd\n2026-02-30,2\n', /:2: not a calendar date: 2026-02-30/],
  ['impossible month', 'date,usd\n2026-13-01,2\n', /:2: not a calendar date/],
  ['with a time', 'date,usd\n2026-01-02T00:00:00Z,2\n', /:2: must be/],
  ['same day twice', 'date,usd\n2026-01-02,2\n2026-01-02,2\n', /:3: days must ascend/],
  ['descending', 'date,usd\n2026-01-03,2\n2026-01-02,2\n', /:3: days must ascend, but 2026-01-02 follows 2026-01-03/],
];
for (const [name, text, message] of malformed) {
  test(`malformed: ${name}`, () =>
    assert.rejects(read(text), (error) => error instanceof ConfigError && message.test(error.message)));
}

test("a file is named by the asset's CoinGecko id, or its denom", () => {
  assert.equal(assetFileName({ denom: 'uatom', coingecko_id: 'cosmos' }), 'cosmos');
  assert.equal(assetFileName({ denom: 'factory/cosmos1abc/ustars' }), 'factory-cosmos1abc-ustars');
});

test('a price directory that is not there is said so', async () => {
  await assert.rejects(
    sourceFolders('/no/such/folder'),
    /price directory \/no\/such\/folder not found; see HUBLEDGER_PRICE_DIR/,
  );
});

const reference = (file: string) => JSON.parse(readFileSync(join(projectRoot(), 'data/reference', file), 'utf8'));
const assets: Asset[] = reference('assets.json').assets;
const methodology: Methodology = reference('methodology/1.0.0.json');
const priceDir = join(projectRoot(), 'test/prices/real');

const collect = (options: Partial<PriceOptions>) =>
  dailyPrices({
    priceDir,
    priceSources: undefined,
    assets,
    methodology,
    from: '2025-10-01',
    to: '2026-05-01',
    ...options,
  });

/** A price directory made of `<source>/<asset>.csv` → 'day usd; day usd'. */
function makePriceDir(context: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `date,usd\n${lines.replaceAll(' ', ',').replaceAll(';,', '\n')}\n`);
  }
  return folder;
}

const brief = (prices: Awaited<ReturnType<typeof collect>>) =>
  prices.map((price) => `${price.day} ${price.usd} ${price.sources} ${price.rejected}`.trim());

test('the sample: real days of three sources, of one, and of none', async () => {
  const atom = (await collect({})).filter((price) => price.denom === 'uatom');
  const on = new Map(atom.map((price) => [price.day, price]));
  // 2025-10-01: coingecko 4.25, binance 4.136, bybit 4.133
  assert.deepEqual(on.get('2025-10-01'), {
    denom: 'uatom',
    day: '2025-10-01',
    usd: 4_136_000n,
    found: true,
    sources: 'binance,bybit,coingecko',
    rejected: '',
    methodology_version: '1.0.0',
    quotes: 'binance 4.136,bybit 4.133,coingecko 4.25',
  });
  // 2025-10-10: the market fell by 28 % after CoinGecko's stamp: 4.06 against the closes 2.946 and 2.929
  assert.equal(brief([on.get('2025-10-10')!])[0], '2025-10-10 2937500 binance,bybit coingecko');
  assert.equal(on.get('2025-10-10')!.quotes, 'binance 2.946,bybit 2.929,coingecko 4.06 rejected');
  assert.equal(on.get('2026-01-02')!.usd, 2_090_000n);
  assert.equal(on.get('2025-12-31'), undefined);
  assert.equal(on.get('2026-01-01'), undefined);
});

/** Median of what the files say of each asset and day, by DuckDB, wherever its sources lie within 10 % of the lowest. */
const AGREED = `
  select
    regexp_extract(filename, '([^/]+)\\.csv$', 1) as asset,
    strftime(date, '%Y-%m-%d') as day,
    cast(cast(median(usd) * 1000000 as decimal(38, 0)) as varchar) as usd
  from read_csv($files, filename = true, types = {'date': 'DATE', 'usd': 'DECIMAL(24, 12)'})
  group by all
  having max(usd) <= min(usd) * 1.1`;

test('the sample: every day on which the sources agree is the median that DuckDB finds', async () => {
  const database = await openDatabase();
  const agreed = await database.all<{ asset: string; day: string; usd: string }>(AGREED, {
    files: join(priceDir, '*/*.csv'),
  });
  database.close();
  const file = new Map(assets.map((asset) => [asset.denom, assetFileName(asset)]));
  const published = new Map(
    (await collect({})).map((price) => [`${file.get(price.denom)} ${price.day}`, price.usd.toString()]),
  );
  assert.ok(agreed.length > 600);
  for (const { asset, day, usd } of agreed) assert.equal(published.get(`${asset} ${day}`), usd, `${asset} ${day}`);
  // Two more: days on which the market fell after CoinGecko's stamp, so that it was rejected.
  assert.equal(published.size, agreed.length + 2);
});

test('the sample: without any one of three sources a day moves by 10 % at most', async () => {
  const sources = ['binance', 'bybit', 'coingecko'];
  const ofThree = (await collect({})).filter((price) => price.sources.split(',').length === 3);
  for (const missing of sources) {
    const rest = await collect({ priceSources: sources.filter((source) => source !== missing) });
    const published = new Map(rest.map((price) => [`${price.denom} ${price.day}`, price.usd]));
    for (const { denom, day, usd } of ofThree) {
      const without = published.get(`${denom} ${day}`);
      assert.ok(without !== undefined, `${denom} ${day} without ${missing}`);
      const moved = without > usd ? without - usd : usd - without;
      assert.ok(moved * 10n <= usd, `${denom} ${day} without ${missing}: ${without}, not ${usd}`);
    }
  }
  assert.equal(ofThree.length, 29);
});

test('rows are sorted by denom and day, and one file prices every denom of its id', async () => {
  const prices = await collect({});
  const keys = prices.map((price) => `${price.denom} ${price.day}`);
  assert.deepEqual(keys, [...keys].sort());
  assert.equal(new Set(keys).size, keys.length);
  const days = (symbol: string) =>
    prices.filter((price) => price.denom === assets.find((asset) => asset.symbol === symbol)!.denom).length;
  assert.ok(days('USDC') > 180);
  assert.equal(days('USDC'), days('USDC.inj'));
});

test('a shorter range gives the same days, also right after a rejection', async (context) => {
  const quotes = {
    'a/cosmos.csv': '2026-01-01 2; 2026-01-02 2; 2026-01-03 2',
    'c/cosmos.csv': '2026-01-01 9; 2026-01-02 2.14; 2026-01-03 2.1',
  };
  const dir = makePriceDir(context, { ...quotes, 'b/cosmos.csv': quotes['a/cosmos.csv'] });
  const all = await collect({ priceDir: dir, priceSources: 'none' });
  assert.deepEqual(brief(all), ['2026-01-01 2000000 a,b c', '2026-01-02 2000000 a,b c', '2026-01-03 2000000 a,b,c']);
  const part = await collect({ priceDir: dir, priceSources: 'none', from: '2026-01-02', to: '2026-01-02' });
  assert.deepEqual(part, all.slice(1, 2));
});

test('a rejection is remembered for the day after only', async (context) => {
  const steady = '2026-01-01 2; 2026-01-03 2';
  const dir = makePriceDir(context, {
    'a/cosmos.csv': steady,
    'b/cosmos.csv': steady,
    'c/cosmos.csv': '2026-01-01 9; 2026-01-03 2.14',
  });
  const prices = await collect({ priceDir: dir, priceSources: 'none' });
  assert.deepEqual(brief(prices), ['2026-01-01 2000000 a,b c', '2026-01-03 2000000 a,b,c']);
});

test('which sources count', async (context) => {
  const dir = makePriceDir(context, { 'beta/cosmos.csv': '2026-01-02 2.2', 'binance/cosmos.csv': '2026-01-02 2' });
  assert.deepEqual(brief(await collect({ priceDir: dir })), ['2026-01-02 2000000 binance']);
  assert.deepEqual(brief(await collect({ priceDir: dir, priceSources: ['beta'] })), ['2026-01-02 2200000 beta']);
  assert.deepEqual(brief(await collect({ priceDir: dir, priceSources: 'none' })), ['2026-01-02 2100000 beta,binance']);
});

test('a malformed line stops with its file and line', async (context) => {
  const dir = makePriceDir(context, { 'binance/cosmos.csv': '2026-01-02 2; 2026-01-02 2' });
  await assert.rejects(collect({ priceDir: dir }), /binance\/cosmos\.csv:3: days must ascend/);
});

test('without a price directory only collected quotes count', async () => {
  assert.deepEqual(await collect({ priceDir: undefined, priceSources: 'none' }), []);
  assert.deepEqual(await collect({ priceDir: undefined }), []);
});

test('days that a file lacks and others have are gaps, but not days before its coin was listed', async (context) => {
  const dir = makePriceDir(context, {
    'binance/cosmos.csv': '2026-01-02 2; 2026-01-03 2; 2026-01-05 2; 2026-01-06 2',
    'beta/cosmos.csv': '2026-01-02 2; 2026-01-04 2',
    'beta/celestia.csv': '2026-01-05 2; 2026-01-07 2',
  });
  const gaps = (from: string, to: string) =>
    priceGaps({ priceDir: dir, priceSources: 'none', assets, methodology, from, to });
  assert.deepEqual(await gaps('2026-01-01', '2026-01-31'), [
    { file: 'beta/celestia.csv', days: ['2026-01-06'] },
    { file: 'beta/cosmos.csv', days: ['2026-01-03', '2026-01-05', '2026-01-06', '2026-01-07'] },
    { file: 'binance/cosmos.csv', days: ['2026-01-04', '2026-01-07'] },
  ]);
  assert.deepEqual(await gaps('2026-01-05', '2026-01-06'), [
    { file: 'beta/celestia.csv', days: ['2026-01-06'] },
    { file: 'beta/cosmos.csv', days: ['2026-01-05', '2026-01-06'] },
  ]);
});

test('files whose asset or source nobody reads are named, and what cannot be read is one line', async (context) => {
  const dir = makePriceDir(context, {
    'binance/cosmos.csv': '2026-01-02 2',
    'binance/atom.csv': '2026-01-02 2',
    'beta/cosmos.csv': '2026-01-02 2.2',
    'beta/notes.txt': '',
  });
  const options = { priceDir: dir, priceSources: undefined, assets, methodology };
  assert.deepEqual(await unreadFiles(options), ['beta/cosmos.csv', 'binance/atom.csv']);
  assert.deepEqual(await unreadFiles({ ...options, priceSources: 'none' }), ['binance/atom.csv']);
  assert.deepEqual(await unreadFiles({ ...options, priceDir: undefined }), []);
  assert.deepEqual(await unreadFiles({ ...options, priceDir }), []);
  mkdirSync(join(dir, 'binance/celestia.csv'));
  await assert.rejects(
    collect({ priceDir: dir }),
    (error) => error instanceof ConfigError && /^\S+\/celestia\.csv cannot be read: EISDIR[^\n]+$/.test(error.message),
  );
});

const [first, second] = ['cosmosvaloper1first', 'cosmosvaloper1second'];
const share = (validator: string, record: number) => ({ denom: `${validator}/${record}`, validator });

const close = (validator: string, day: string, tokens: bigint, shares: bigint): ShareRate => {
  return { validator, day, tokens, shares: shares * 10n ** 18n };
};
const coin = (day: string, usd: bigint): Price => {
  return {
    denom: 'uatom',
    day,
    usd,
    found: true,
    sources: 'a,b',
    rejected: 'c',
    quotes: '',
    methodology_version: '1.0.0',
  };
};

const rates = [
  close(first, '2026-01-01', 1_000n, 1_000n),
  close(second, '2026-01-01', 999n, 1_000n),
  close(first, '2026-01-03', 2n, 3n), // slashed
];

const usd = (prices: readonly Price[]) => prices.map(({ denom, day, usd: micro }) => [denom, day, micro]);

test('a share costs the coin times what it redeems, half up to six places', () => {
  const prices = sharePrices(
    [share(first, 7)],
    [coin('2026-01-01', 4_000_000n), coin('2026-01-03', 2_500_001n)],
    rates,
  );
  assert.deepEqual(usd(prices), [
    [`${first}/7`, '2026-01-01', 4_000_000n],
    [`${first}/7`, '2026-01-03', 1_666_667n],
  ]);
  assert.deepEqual(
    prices.map(({ rejected, methodology_version }) => [rejected, methodology_version]),
    [
      ['', '1.0.0'],
      ['', '1.0.0'],
    ],
  );
  assert.match(prices[0]!.sources, /tokens per share/);
  // 0.999 × 0.500500 is 0.4999995: half up.
  assert.equal(sharePrices([share(second, 1)], [coin('2026-01-01', 500_500n)], rates)[0]!.usd, 500_000n);
});

test('a day without blocks stands as the day before it', () => {
  const prices = sharePrices([share(second, 1)], [coin('2026-01-02', 1_000_000n)], rates);
  assert.deepEqual(usd(prices), [[`${second}/1`, '2026-01-02', 999_000n]]);
});

test('no price from the day on which a validator may have been slashed that holdings do not reach', () => {
  const days = ['2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'].map((day) => coin(day, 3_000_000n));
  const rows = [close(first, '2026-01-03', 2n, 3n)];
  assert.deepEqual(usd(sharePrices([share(first, 1)], days, rows, '2026-01-05')), [
    [`${first}/1`, '2026-01-03', 2_000_000n],
    [`${first}/1`, '2026-01-04', 2_000_000n],
  ]);
  assert.equal(sharePrices([share(first, 1)], days, rows, null).length, 4);
});

test('no price before the first close, without a price of the coin, of a removed validator, or of less than a millionth', () => {
  const days = [coin('2025-12-31', 1_000_000n), coin('2026-01-04', 1_000_000n)];
  assert.deepEqual(sharePrices([share(second, 1)], days, rates), []);
  assert.deepEqual(sharePrices([share(first, 1)], [], rates), []);
  const worthless = [close(first, '2026-01-01', 1n, 3_000_000n)];
  assert.deepEqual(sharePrices([share(first, 1)], [coin('2026-01-01', 1_000_000n)], worthless), []);
});
