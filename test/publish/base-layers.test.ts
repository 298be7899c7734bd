/** Several base layers of a wallet index: what they return, and which of them are built again. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildOpenLayer, type IndexPlan, planIndex } from '../../pipeline/publish/build-wallet-index.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { clearWalletIndexes, ensureBaseLayers } from '../../pipeline/publish/place-wallet-index.js';
import { isIndexSound, placeIndexFolder } from '../../pipeline/publish/wallet-index-key.js';
import { loadReference } from '../../pipeline/reference.js';
import type { DelegationInterval, Manifest, PricedEvent, ValidatorPayout } from '../../schemas/types.generated.js';
import { type OpenDataset, openDataset } from '../../server/tax/dataset/dataset.js';
import { openDatabase } from '../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../pipeline/night-case.js';

const chain = new NightCase(SAMPLE_CHAIN);
const reference = loadReference();
let generation: string;
let folder: string;
let manifest: Manifest;
before(async () => {
  ({ generation } = await chain.published('data'));
  folder = chain.path('data/generations', generation);
  manifest = readManifest(folder);
});
after(() => chain.remove());

/** A data folder with the generation and no index, and the plan of an index of the months up to `until`. */
async function unindexed(
  name: string,
  until: string,
  smallLayerRows?: number,
): Promise<{ dataDir: string; plan: IndexPlan }> {
  const dataDir = chain.path(name);
  mkdirSync(join(dataDir, 'stores'), { recursive: true });
  cpSync(chain.path('data/generations'), join(dataDir, 'generations'), { recursive: true });
  return { dataDir, plan: await planUntil(dataDir, until, smallLayerRows) };
}

/** @param smallLayerRows number of rows up to which months share a layer */
function planUntil(dataDir: string, until: string, smallLayerRows = 1): Promise<IndexPlan> {
  const tables = manifest.tables.map((table) => ({
    ...table,
    files: table.files.filter(({ path }) => (/\d{4}-\d\d/.exec(path)?.[0] ?? '') <= until),
  }));
  return planIndex({ folder, manifest: { ...manifest, tables }, reference }, join(dataDir, 'spill'), smallLayerRows);
}

const inodes = (folders: readonly string[]) => folders.map((layer) => statSync(join(layer, 'data.mdb')).ino);

async function tableOf<Row>(table: string): Promise<Row[]> {
  const database = await openDatabase();
  await database.attach(table, tableFiles(folder, manifest, table));
  const rows: Row[] = [];
  for await (const batch of database.sorted<Row>(table)) rows.push(...batch);
  database.close();
  return rows;
}

/** Everything that a dataset returns of a wallet. */
const walletValues = (dataset: OpenDataset, address: string, heights: readonly number[]) => ({
  rows: dataset.rows(address),
  events: [...dataset.events(address)].flat(),
  opening: dataset.opening(address),
  flagged: dataset.flagged(address),
  rewardMonths: dataset.rewardMonths(address),
  intervals: dataset
    .holdings(address)!
    .intervals.map((row) => Object.values(row).join(' '))
    .sort(),
  unbonding: dataset
    .holdings(address)!
    .unbonding.map((row) => Object.values(row).join(' '))
    .sort(),
  liquid: changes(dataset.holdings(address)!.liquid),
  coins: heights.map((height) => new Map([...dataset.liquidAt(address, height)].filter(([, amount]) => amount !== 0n))),
});

const changes = <Row extends { readonly amount: bigint }>(rows: readonly Row[]): Row[] =>
  rows.filter(({ amount }, i) => amount !== rows[i - 1]?.amount);

test('an index with several base layers returns the values of an index with one', async () => {
  const open = async (name: string, layers: number, smallLayerRows: number) => {
    const { dataDir, plan } = await unindexed(name, '2026-03', smallLayerRows);
    assert.equal(plan.base.length, layers);
    const made = join(dataDir, 'stores/made');
    await buildOpenLayer(plan, made, await ensureBaseLayers(dataDir, plan));
    await placeIndexFolder(dataDir, generation, reference, made);
    assert.ok(await isIndexSound(dataDir, generation, reference));
    return openDataset(dataDir, generation, reference);
  };
  const one = await open('one', 1, 1e9);
  const many = await open('many', 2, 1);
  const events = await tableOf<PricedEvent>('priced_events');
  const heights = [...new Set(events.map(({ height }) => height))].sort((a, b) => a - b).filter((_, i) => i % 60 === 0);
  for (const address of new Set(events.map((row) => row.address))) {
    assert.deepEqual(walletValues(many, address, heights), walletValues(one, address, heights), address);
  }
  const payouts = await tableOf<ValidatorPayout>('validator_payouts');
  const months = [...new Set(payouts.map(({ day }) => day.slice(0, 7)))];
  assert.ok(months.length > 3 && heights.length > 5);
  for (const operator of new Set(payouts.map(({ validator }) => validator))) {
    assert.deepEqual(many.validator(operator), one.validator(operator));
    assert.deepEqual(many.accrued(operator), one.accrued(operator));
    for (const month of months) assert.deepEqual(many.payouts(operator, month), one.payouts(operator, month));
    for (const { day, close_height } of one.days()) {
      assert.deepEqual(many.valuation(operator, close_height), one.valuation(operator, close_height));
      assert.deepEqual(many.rates(operator, day), one.rates(operator, day));
    }
  }
  assert.deepEqual(many.days(), one.days());
  let starts = 0;
  const closes = one.days().map(({ close_height }) => close_height);
  for (const interval of await tableOf<DelegationInterval>('delegation_intervals')) {
    const { from_height, to_height } = interval;
    if (to_height !== null && to_height > closes.at(-1)!) continue;
    if (!closes.some((height) => height > from_height && height < (to_height ?? Number.POSITIVE_INFINITY))) continue;
    const all = new Set(one.startRatio(interval).split(','));
    const payable = many.startRatio(interval).split(',');
    assert.deepEqual(
      payable.filter((coin) => coin !== '' && !all.has(coin)),
      [],
    );
    starts++;
  }
  assert.ok(starts > 100);
  await Promise.all([one.close(), many.close()]);
});

test('a month that closes leaves the layers whose months did not change', async () => {
  const { dataDir, plan } = await unindexed('grown', '2026-02');
  const [january, ...none] = await ensureBaseLayers(dataDir, plan);
  assert.deepEqual(none, []);
  const [inode] = inodes([january!]);
  const next = await ensureBaseLayers(dataDir, await planUntil(dataDir, '2026-03'));
  assert.equal(next.length, 2);
  assert.deepEqual([next[0], ...inodes(next.slice(0, 1))], [january, inode]);
  const quarter = await ensureBaseLayers(dataDir, await planUntil(dataDir, '2026-04'));
  assert.equal(quarter.length, 1);
  assert.ok(!next.includes(quarter[0]!));
});

test('a changed file of a month changes the layer of this month, and later layers only by what they share', async () => {
  const { dataDir, plan } = await unindexed('changed', '2026-03');
  const changed = (table: string, month: string) => ({
    ...manifest,
    tables: manifest.tables.map((one) => ({
      ...one,
      files: one.files
        .filter(({ path }) => !path.includes('2026-04'))
        .map((file) => (one.name === table && file.path.includes(month) ? { ...file, sha256: 'other' } : file)),
    })),
  });
  const namesOf = ({ base }: IndexPlan) => base.map(({ name }) => name);
  const isSame = async (table: string, month: string) => {
    const other = await planIndex({ folder, manifest: changed(table, month), reference }, join(dataDir, 'spill'), 1);
    return namesOf(other).map((name, i) => name === namesOf(plan)[i]);
  };
  assert.deepEqual(await isSame('priced_events', '2026-01'), [false, true]);
  assert.deepEqual(await isSame('priced_events', '2026-02'), [true, false]);
  assert.deepEqual(await isSame('validator_payouts', '2026-01'), [false, false]); // later months continue its numbers
  assert.deepEqual(await isSame('prices', 'all'), [true, true]);
});

test('a build that was killed goes on with the next layer, and a damaged layer alone is built again', async () => {
  const { dataDir, plan } = await unindexed('killed', '2026-03');
  const folders = await ensureBaseLayers(dataDir, plan);
  const before = inodes(folders);
  rmSync(folders[1]!, { recursive: true });
  const stores = join(dataDir, 'stores');
  mkdirSync(join(stores, '.unfinished-wallet-index-0a1b2c3d-base'));
  await clearWalletIndexes(dataDir);
  assert.equal(readdirSync(stores).length, 1);
  assert.deepEqual(await ensureBaseLayers(dataDir, plan), folders);
  const [first, second] = inodes(folders);
  assert.equal(first, before[0]);
  truncateSync(join(folders[0]!, 'data.mdb'), 5000);
  await ensureBaseLayers(dataDir, plan);
  assert.ok(statSync(join(folders[0]!, 'data.mdb')).size > 5000);
  assert.equal(inodes(folders)[1], second);
});
