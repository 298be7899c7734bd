import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open, type RootDatabase } from 'lmdb';
import { WalletIndexWriter } from '../../pipeline/publish/build-wallet-index.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { ensureWalletIndex } from '../../pipeline/publish/place-wallet-index.js';
import {
  eventsFormat,
  flaggedFormat,
  INDEX_OPTIONS,
  SEGMENT_ROWS,
  walletKey,
} from '../../pipeline/publish/wallet-index/events-format.js';
import { payoutsFormat, sumPayouts } from '../../pipeline/publish/wallet-index/payouts-format.js';
import { loadReference } from '../../pipeline/reference.js';
import type {
  FlaggedReceipt,
  KnownValidator,
  Price,
  PricedEvent,
  ValidatorPayout,
} from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';
import { NightCase } from '../pipeline/night-case.js';
import { serializeEvents } from '../server/serialize-events.js';

const chain = new NightCase();
const reference = loadReference();
let generation: string;
const wallets = new Map<string, PricedEvent[]>();
const flagged = new Map<string, FlaggedReceipt[]>();
const prices: Price[] = [];
const validators: KnownValidator[] = [];
const payouts: ValidatorPayout[] = [];
before(async () => {
  ({ generation } = await chain.published('data'));
  const folder = chain.path('data/generations', generation);
  const database = await openDatabase();
  const manifest = readManifest(folder);
  for (const table of ['priced_events', 'flagged_receipts', 'prices', 'validators', 'validator_payouts']) {
    await database.attach(table, tableFiles(folder, manifest, table));
  }
  for await (const rows of database.sorted<PricedEvent>('priced_events')) {
    for (const row of rows) wallets.set(row.address, [...(wallets.get(row.address) ?? []), row]);
  }
  for await (const rows of database.sorted<FlaggedReceipt>('flagged_receipts')) {
    for (const row of rows) flagged.set(row.address, [...(flagged.get(row.address) ?? []), row]);
  }
  for await (const rows of database.sorted<Price>('prices')) prices.push(...rows);
  for await (const rows of database.sorted<KnownValidator>('validators')) validators.push(...rows);
  for await (const rows of database.sorted<ValidatorPayout>('validator_payouts')) payouts.push(...rows);
  database.close();
});
after(() => chain.remove());

/** Every key and text of the store in a folder. */
async function contents(folder: string): Promise<Map<string, string>> {
  const store: RootDatabase<Buffer> = open({ path: folder, ...INDEX_OPTIONS, readOnly: true });
  const all = new Map([...store.getRange()].map(({ key, value }) => [JSON.stringify(key), value.toString('base64')]));
  await store.close();
  return all;
}

/** The values that the wallet index must hold of the Parquet, written here from its rows. */
function expected(): Map<string, Buffer | string> {
  const all = new Map<string, Buffer | string>();
  for (const [address, rows] of wallets) {
    const segments = Math.ceil(rows.length / SEGMENT_ROWS);
    all.set(
      JSON.stringify(walletKey.extent(address)),
      JSON.stringify({ rows: rows.length, segments, first: rows[0]!.time, last: rows.at(-1)!.time }),
    );
  }
  for (const denom of new Set(prices.map((price) => price.denom))) {
    const days = prices.filter((price) => price.denom === denom).map(({ day, usd }) => [day, String(usd)]);
    all.set(JSON.stringify(walletKey.prices(denom)), JSON.stringify(days));
  }
  const names = validators.map(({ validator, moniker, on_chain }) => [validator, moniker, on_chain]);
  all.set(JSON.stringify(walletKey.validators()[0]), JSON.stringify(names)); // LMDB tells a key of one part as that part
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
  const text = (key: (string | number)[]) => Buffer.from(store.get(JSON.stringify(key))!, 'base64');
  for (const [key, value] of expected()) assert.equal(Buffer.from(store.get(key)!, 'base64').toString(), value);
  let keys = expected().size;
  for (const [address, rows] of wallets) {
    const segments = Math.ceil(rows.length / SEGMENT_ROWS);
    const read = Array.from({ length: segments }, (_, n) =>
      eventsFormat.parse(address, text(walletKey.segment(address, n)).toString()),
    );
    assert.deepEqual(read.flat(), rows);
    keys += segments;
    const receipts = flagged.get(address);
    if (!receipts) continue;
    assert.deepEqual(flaggedFormat.parse(address, text(walletKey.flagged(address)).toString()), receipts);
    keys++;
  }
  const months = byMonth();
  for (const [key, rows] of months) {
    const sum = sumPayouts(payoutsFormat.parse(Buffer.from(store.get(key)!, 'base64').toString()));
    assert.equal(
      sum.rewards + sum.commission,
      rows.reduce((total, { amount }) => total + amount, 0n),
    );
    keys++;
  }
  assert.ok(months.size > 5 && validators.length > 5);
  assert.ok(flagged.size > 5 && flagged.size < wallets.size);
  assert.ok(wallets.size > 50 && prices.length > 50);
  assert.equal(store.size, keys);
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
  const file = `${folder}/data.mdb`;
  const before = await contents(folder);
  const bytes = readFileSync(file);
  const zeros = Buffer.from(bytes).fill(0, bytes.length >> 2, bytes.length >> 1);
  const other = Buffer.from(bytes);
  other[other.length - 100]! ^= 1;
  const makers = [
    () => ensureWalletIndex(chain.path('data'), generation, reference),
    async () => !(await chain.night('data')).isNew,
  ];
  for (const make of makers) {
    for (const damaged of [bytes.subarray(0, 5000), Buffer.alloc(0), zeros, other]) {
      writeFileSync(file, damaged);
      assert.ok(await make());
      assert.deepEqual(await contents(folder), before);
    }
  }
  assert.equal(await ensureWalletIndex(chain.path('data'), generation, reference), false);
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
    await writer.add({ address, rows: texts, last: rows === 25_000 });
  }
  await writer.close();
  const rows = 25_000;
  const store = await contents(folder);
  const extent = Buffer.from(store.get(JSON.stringify(walletKey.extent(address)))!, 'base64').toString();
  assert.deepEqual(JSON.parse(extent), {
    rows,
    segments: Math.ceil(rows / SEGMENT_ROWS),
    first: row!.time,
    last: row!.time,
  });
});
