/** Holdings as the wallet index tells them, against what the recorded node said at the close of every day. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import { holdingsAtCloses } from '../../pipeline/holdings/day-holdings.js';
import { readManifest, tableFiles } from '../../pipeline/publish/generation.js';
import { loadReference } from '../../pipeline/reference.js';
import type { DelegationInterval, UnbondingInterval, ValidatorDay } from '../../schemas/types.generated.js';
import { type OpenDataset, openDataset } from '../../server/tax/dataset/dataset.js';
import { openDatabase } from '../open-database.js';
import { FOLDED, NightCase } from '../pipeline/night-case.js';

const chain = new NightCase(FOLDED);
let folder: string;
let dataset: OpenDataset;
before(async () => {
  const { generation } = await chain.published('data');
  folder = chain.path('data/generations', generation);
  dataset = openDataset(chain.path('data'), generation, loadReference());
});
after(async () => {
  await dataset.close();
  chain.remove();
});

interface RecordedDay {
  readonly day: string;
  readonly height: number;
  readonly address: string;
  readonly liquid_uatom: string;
  readonly staked_uatom: string;
  readonly unbonding_uatom: string;
}

const recorded: RecordedDay[] = gunzipSync(
  readFileSync(join(projectRoot(), 'test/holdings/hub-short/state/daily.jsonl.gz')),
)
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

test('the days are those of the index, each with its last block', () => {
  const days = dataset.days();
  assert.deepEqual(days[0], { day: FOLDED.firstDay, close_height: 252 });
  assert.equal(days.at(-1)!.close_height, FOLDED.last);
  const heights = new Map(recorded.map(({ day, height }) => [day, height]));
  for (const { day, close_height } of days) assert.equal(close_height, heights.get(day) ?? close_height);
});

test('every recorded wallet held on every day what the node said', () => {
  const closes = dataset.days();
  const points = recorded.filter(({ day }) => closes.some((close) => close.day === day));
  const source = { denom: 'uatom', validator: dataset.validator };
  for (const address of new Set(points.map((point) => point.address))) {
    const held = holdingsAtCloses(dataset.holdings(address)!, closes, source);
    const days = new Map(held.map((one) => [one.day, one]));
    for (const point of points.filter((other) => other.address === address)) {
      const { liquid, staked, unbonding } = days.get(point.day)!;
      const said = [point.liquid_uatom, point.staked_uatom, point.unbonding_uatom];
      assert.deepEqual([liquid, staked, unbonding].map(String), said, `${address} ${point.day}`);
    }
  }
  assert.ok(points.length > 100);
});

/** The store keeps ratios of the native coin alone. */
const native = (ratio: string) =>
  ratio
    .split(',')
    .filter((coin) => coin.endsWith('uatom'))
    .join(',');

/** An order of a wallet's rows: those of the base layer come first, those that last to the end come last. */
function byStart(one: DelegationInterval | UnbondingInterval, other: DelegationInterval | UnbondingInterval): number {
  const texts = [one, other].map((row) => JSON.stringify(Object.values(row).map(String)));
  return texts[0]! < texts[1]! ? -1 : 1;
}

test('delegations, entries and validators are the rows of the tables, with ratios of the native coin', async () => {
  const manifest = readManifest(folder);
  const database = await openDatabase();
  const all = async <Row>(table: string): Promise<Row[]> => {
    await database.attach(table, tableFiles(folder, manifest, table));
    const rows: Row[] = [];
    for await (const batch of database.sorted<Row>(table)) rows.push(...batch);
    return rows;
  };
  const intervals = await all<DelegationInterval>('delegation_intervals');
  const entries = await all<UnbondingInterval>('unbonding_intervals');
  const days = await all<ValidatorDay>('validator_days');
  database.close();
  assert.ok(intervals.length > 500 && entries.length > 50 && days.length > 50);
  for (const address of new Set([...intervals, ...entries].map(({ delegator }) => delegator))) {
    const { intervals: own, unbonding } = dataset.holdings(address)!;
    assert.deepEqual(
      [...own].sort(byStart),
      intervals
        .filter(({ delegator }) => delegator === address)
        .sort(byStart)
        .map((row) => ({ ...row, start_ratio: native(row.start_ratio) })),
    );
    assert.deepEqual(
      [...unbonding].sort(byStart),
      entries.filter(({ delegator }) => delegator === address).sort(byStart),
    );
  }
  for (const operator of new Set(days.map(({ validator }) => validator))) {
    assert.deepEqual(
      dataset.validator(operator).days,
      days
        .filter(({ validator, shares }) => validator === operator && shares > 0n)
        .map(({ commission, commission_rate, ...row }) => ({ ...row, ratio: native(row.ratio) })),
    );
  }
});

test('validators have the names of the starting state and of later messages', () => {
  const monikers = [...dataset.validators().values()].map(({ moniker }) => moniker);
  assert.ok(monikers.includes('Alpha Node') && monikers.includes("'Charlie'"));
  assert.equal(monikers.filter((moniker) => moniker === '').length, 0);
  assert.ok([...dataset.validators().values()].some(({ onChain }) => !onChain));
});

test('a wallet and a validator that nobody knows have no rows', () => {
  assert.deepEqual(dataset.holdings('cosmos1nobody'), { liquid: [], intervals: [], unbonding: [] });
  assert.deepEqual(dataset.validator('cosmosvaloper1nobody'), { days: [], slashes: [] });
});
