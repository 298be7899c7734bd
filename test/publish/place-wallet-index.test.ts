import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open, type RootDatabase } from 'lmdb';
import { WalletIndexWriter } from '../../pipeline/publish/build-wallet-index.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { ensureWalletIndex, removeUnusedBaseLayers } from '../../pipeline/publish/place-wallet-index.js';
import {
  eventsFormat,
  flaggedFormat,
  INDEX_OPTIONS,
  SEGMENT_ROWS,
  walletKey,
} from '../../pipeline/publish/wallet-index/events-format.js';
import { layerFolders, nameLayers } from '../../pipeline/publish/wallet-index/open-index.js';
import { payoutsFormat, sumPayouts } from '../../pipeline/publish/wallet-index/payouts-format.js';
import { loadReference } from '../../pipeline/reference.js';
import type {
  ExchangeRate,
  FlaggedReceipt,
  KnownValidator,
  Price,
  PricedEvent,
  ValidatorPayout,
} from '../../schemas/types.generated.js';
import { openDataset } from '../../server/tax/dataset/dataset.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from '../pipeline/night-case.js';
import { serializeEvents } from '../server/serialize-events.js';

const chain = new NightCase();
const reference = loadReference();
let generation: string;
const wallets = new Map<string, PricedEvent[]>();
const flagged = new Map<string, FlaggedReceipt[]>();
const prices: Price[] = [];
const validators: KnownValidator[] = [];
const payouts: ValidatorPayout[] = [];
const rates: ExchangeRate[] = [];
before(async () => {
  ({ generation } = await chain.published('data'));
  const folder = chain.path('data/generations', generation);
  const database = await openDatabase();
  const manifest = readManifest(folder);
  for (const table of [
    'priced_events',
    'flagged_receipts',
    'prices',
    'validators',
    'validator_payouts',
    'exchange_rates',
  ]) {
    await database.attach(table, tableFiles(folder, manifest, table));
  }
  for await (const rows of database.sorted<PricedEvent>('priced_events')) {
    for (const { channel: _channel, sequence: _sequence, ...row } of rows) {
      wallets.set(row.address, [...(wallets.get(row.address) ?? []), row]); // the index has no channels
    }
  }
  for await (const rows of database.sorted<FlaggedReceipt>('flagged_receipts')) {
    for (const row of rows) flagged.set(row.address, [...(flagged.get(row.address) ?? []), row]);
  }
  for await (const rows of database.sorted<Price>('prices')) prices.push(...rows.filter(({ found }) => found));
  for await (const rows of database.sorted<KnownValidator>('validators')) validators.push(...rows);
  for await (const rows of database.sorted<ValidatorPayout>('validator_payouts')) payouts.push(...rows);
  for await (const rows of database.sorted<ExchangeRate>('exchange_rates')) rates.push(...rows);
  database.close();
});
after(() => chain.remove());

/** Every key and text of both layers of an index: first the open layer, then the base layer under keys of their own. */
async function contents(folder: string): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const [i, layer] of [...layerFolders(folder)].reverse().entries()) {
    const store: RootDatabase<Buffer> = open({ path: layer, ...INDEX_OPTIONS, readOnly: true });
    for (const { key, value } of store.getRange()) all.set(inLayer(i, key), value.toString('base64'));
    await store.close();
  }
  return all;
}

const inLayer = (layer: number, key: unknown) => (layer === 0 ? '' : 'base ') + JSON.stringify(key);

/** The month that is still open. */
const openMonth = () =>
  [...wallets.values()]
    .flat()
    .reduce((last, { time }) => (time > last ? time : last), '')
    .slice(0, 7);

/** A wallet's rows in the open layer, then those in the base layer. */
const inLayers = (rows: readonly PricedEvent[]) => {
  const isOpen = ({ time }: PricedEvent) => time.startsWith(openMonth());
  return [rows.filter(isOpen), rows.filter((row) => !isOpen(row))].filter((layer) => layer.length > 0);
};

/** The values that the wallet index must hold of the Parquet, written here from its rows. */
function expected(): Map<string, string> {
  const all = new Map<string, string>();
  for (const denom of new Set(prices.map((price) => price.denom))) {
    const own = prices.filter((price) => price.denom === denom);
    all.set(JSON.stringify(walletKey.prices(denom)), JSON.stringify(own.map(({ day, usd }) => [day, String(usd)])));
    const quoted = own.flatMap(({ day, quotes }) => (quotes === '' ? [] : [[day, quotes]]));
    if (quoted.length > 0) all.set(JSON.stringify(walletKey.quotes(denom)), JSON.stringify(quoted));
  }
  const names = validators.map(({ validator, moniker, on_chain }) => [validator, moniker, on_chain]);
  all.set(JSON.stringify(walletKey.validators()[0]), JSON.stringify(names)); // LMDB tells a key of one part as that part
  const ofDays = rates.map(({ day, currency, per_eur }) => [day, currency, String(per_eur)]);
  all.set(JSON.stringify(walletKey.exchangeRates()[0]), JSON.stringify(ofDays));
  return all;
}

/** Payouts by the key that their text has in the store. */
function byMonth(): Map<string, ValidatorPayout[]> {
  const months = new Map<string, ValidatorPayout[]>();
  for (const row of payouts) {
    const key = JSON.stringify(walletKey.payouts(row.validator, row.day.slice(0, 7)));
    months.set(key, [...(months.get(key) ?? []), row]);
  }
  return months;
}

test('the store and the Parquet give the same events, prices and answers', async () => {
  const store = await contents(chain.path('data/stores', generation));
  const text = (key: string) => Buffer.from(store.get(key)!, 'base64').toString();
  for (const [key, value] of expected()) assert.equal(text(key), value);
  let keys = expected().size;
  for (const [address, rows] of wallets) {
    for (const own of inLayers(rows)) {
      const layer = own[0]!.time.startsWith(openMonth()) ? 0 : 1;
      const segments = Math.ceil(own.length / SEGMENT_ROWS);
      const extent = { rows: own.length, segments };
      assert.deepEqual(JSON.parse(text(inLayer(layer, walletKey.extent(address)))), extent);
      const read = Array.from({ length: segments }, (_, n) =>
        eventsFormat.parse(address, text(inLayer(layer, walletKey.segment(address, n)))),
      );
      assert.deepEqual(read.flat(), own);
      keys += segments + 1;
    }
    const receipts = flagged.get(address);
    if (!receipts) continue;
    assert.deepEqual(flaggedFormat.parse(address, text(inLayer(0, walletKey.flagged(address)))), receipts);
    keys++;
  }
  const months = byMonth();
  for (const [key, rows] of months) {
    const layer = rows[0]!.day.startsWith(openMonth()) ? '' : 'base ';
    const sum = sumPayouts(payoutsFormat.parse(text(layer + key)));
    assert.equal(
      sum.rewards + sum.commission,
      rows.reduce((total, { amount }) => total + amount, 0n),
    );
    keys++;
  }
  const paying = payouts.filter(({ day }) => !day.startsWith(openMonth())).map(({ validator }) => validator);
  keys += new Set(paying).size; // the base layer has their numbered delegators
  assert.ok(months.size > 5 && validators.length > 5);
  assert.ok(flagged.size > 5 && flagged.size < wallets.size);
  assert.ok(wallets.size > 50 && prices.length > 50 && rates.length > 50);
  assert.equal(store.size, keys);
});

test('the rates of a dataset are those of its table', async () => {
  const dataset = openDataset(chain.path('data'), generation, reference);
  const usd = new Map(rates.filter(({ currency }) => currency === 'USD').map((rate) => [rate.day, rate.per_eur]));
  for (const { day, currency, per_eur } of rates) {
    assert.deepEqual(dataset.exchangeRates().rateOn(day, currency), { day, perEur: per_eur, usdPerEur: usd.get(day) });
  }
  await dataset.close();
});

test('a delegator has one number in all months, so that a sum over months counts it once', async () => {
  const dataset = openDataset(chain.path('data'), generation, reference);
  const rewards = payouts.filter(({ category, denom }) => category === 'staking_reward' && denom === 'uatom');
  let inBoth = 0;
  for (const operator of new Set(rewards.map(({ validator }) => validator))) {
    const own = rewards.filter(({ validator }) => validator === operator);
    const months = [...new Set(own.map(({ day }) => day.slice(0, 7)))];
    const paid = new Set(own.map(({ address }) => address));
    const days = months.flatMap((month) => dataset.payouts(operator, month));
    assert.equal(sumPayouts(days).uniqueDelegators, paid.size);
    const monthsOf = (one: string) =>
      new Set(own.filter((row) => row.address === one).map(({ day }) => day.slice(0, 7)));
    inBoth += [...paid].filter((one) => monthsOf(one).size > 1).length;
  }
  await dataset.close();
  assert.ok(inBoth > 0);
});

test('a store that is missing or made of something else is built again, with the same content', async () => {
  const folder = chain.path('data/stores', generation);
  const before = await contents(folder);
  assert.equal(await ensureWalletIndex(chain.path('data'), generation, reference), false);
  const key = join(folder, 'made-of.key');
  const madeOf = readFileSync(key);
  writeFileSync(key, 'something else');
  assert.equal(await ensureWalletIndex(chain.path('data'), generation, reference), true);
  assert.deepEqual(readFileSync(key), madeOf);
  assert.deepEqual(await contents(folder), before);
  rmSync(folder, { recursive: true });
  assert.equal(await ensureWalletIndex(chain.path('data'), generation, reference), true);
  assert.deepEqual(await contents(folder), before);
});

test('a store that is not as it was made is built again, by a server and by a night that has nothing new', async () => {
  const folder = chain.path('data/stores', generation);
  const before = await contents(folder);
  const makers = [
    () => ensureWalletIndex(chain.path('data'), generation, reference),
    async () => !(await chain.night('data')).isNew,
  ];
  for (const layer of layerFolders(folder)) {
    const file = `${layer}/data.mdb`;
    const bytes = readFileSync(file);
    const zeros = Buffer.from(bytes).fill(0, bytes.length >> 2, bytes.length >> 1);
    const other = Buffer.from(bytes);
    other[other.length - 100]! ^= 1;
    for (const make of makers) {
      for (const damaged of [bytes.subarray(0, 5000), Buffer.alloc(0), zeros, other]) {
        writeFileSync(file, damaged);
        assert.ok(await make());
        assert.deepEqual(await contents(folder), before);
      }
      rmSync(layer, { recursive: true });
      assert.ok(await make());
      assert.deepEqual(await contents(folder), before);
    }
  }
  assert.equal(await ensureWalletIndex(chain.path('data'), generation, reference), false);
});

test('base layers that no index uses are removed', async () => {
  const stores = chain.path('data/stores');
  const before = readdirSync(stores);
  mkdirSync(join(stores, 'base-0123456789abcdef'));
  await removeUnusedBaseLayers(chain.path('data'));
  assert.deepEqual(readdirSync(stores), before);
  assert.equal(before.length, 2);
});

test('a damaged store is gone also where no other can be built: nobody reads it', async () => {
  const folder = chain.path('data/stores', generation);
  const tables = chain.path('data/generations', generation, 'prices/all.parquet');
  truncateSync(`${folder}/data.mdb`, 5000);
  renameSync(tables, `${tables}.away`);
  await assert.rejects(ensureWalletIndex(chain.path('data'), generation, reference));
  assert.equal(existsSync(folder), false);
  renameSync(`${tables}.away`, tables);
  assert.equal(await ensureWalletIndex(chain.path('data'), generation, reference), true);
});

test('a wallet that comes in several batches is kept in segments', async () => {
  const [address, [row]] = [...wallets][0]!;
  const texts = Array.from({ length: 5000 }, () => serializeEvents([row!]).slice(1, -1));
  const folder = chain.path('huge');
  const writer = new WalletIndexWriter(folder);
  for (let rows = 5000; rows <= 25_000; rows += 5000) {
    writer.add({ address, rows: texts, last: rows === 25_000 });
  }
  await writer.close();
  nameLayers(folder, []);
  const rows = 25_000;
  const store = await contents(folder);
  const extent = Buffer.from(store.get(JSON.stringify(walletKey.extent(address)))!, 'base64').toString();
  assert.deepEqual(JSON.parse(extent), { rows, segments: Math.ceil(rows / SEGMENT_ROWS) });
});

test('the index has the same layers however the chain was split into nights, and whoever built them', async () => {
  const folded = new NightCase(FOLDED);
  try {
    const whole = await folded.published('whole');
    const names = readdirSync(folded.path('whole/stores'));
    const content = await contents(folded.path('whole/stores', whole.generation));
    for (const until of [['2026-01-31'], ['2026-02-03', '2026-02-04', '2026-02-11']]) {
      const dataDir = `split-${until.length}`;
      for (const day of until) await folded.night(dataDir, { until: day });
      const built = baseLayers(folded, dataDir);
      const { generation } = await folded.night(dataDir);
      assert.equal(generation, whole.generation);
      assert.deepEqual(await contents(folded.path(dataDir, 'stores', generation)), content);
      if (built.has(names[0]!))
        assert.equal(baseLayers(folded, dataDir).get(names[0]!), built.get(names[0]!), 'not built again');
    }
    rmSync(folded.path('whole/stores'), { recursive: true });
    assert.equal(await ensureWalletIndex(folded.path('whole'), whole.generation, reference), true);
    assert.deepEqual(readdirSync(folded.path('whole/stores')), names);
    assert.deepEqual(await contents(folded.path('whole/stores', whole.generation)), content);
  } finally {
    folded.remove();
  }
});

/** Inodes of the base layers of a data folder. */
function baseLayers(of: NightCase, dataDir: string): Map<string, number> {
  const names = readdirSync(of.path(dataDir, 'stores')).filter((name) => name.startsWith('base-'));
  return new Map(names.map((name) => [name, statSync(of.path(dataDir, 'stores', name, 'data.mdb')).ino]));
}
