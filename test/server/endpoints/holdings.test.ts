/** Holdings at instants and rewards of periods, against the node's own state and a second computation in SQL. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../../pipeline/base/duckdb/database.js';
import { formatDecimal, parseDecimal } from '../../../pipeline/base/values/amount.js';
import { addDays } from '../../../pipeline/base/values/day.js';
import { Decimal } from '../../../pipeline/base/values/decimal.js';
import { readManifest, tableFiles } from '../../../pipeline/publish/generation.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { HoldingsAt, Rewards } from '../../../schemas/types.generated.js';
import { type NodeState, nodeAssets, nodeStates } from '../../holdings/node-assets.js';
import { openDatabase } from '../../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../../pipeline/night-case.js';
import { startServer, type TestServer } from '../harness.js';

const chain = new NightCase(SAMPLE_CHAIN);
const { rules } = loadReference();
let server: TestServer;
let database: Database;
before(async () => {
  const { generation } = await chain.published('data');
  const folder = chain.path('data/generations', generation);
  const manifest = readManifest(folder);
  database = await openDatabase();
  for (const { name } of manifest.tables) await database.attach(name, tableFiles(folder, manifest, name));
  await database.run('tables/staked_coins');
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  database.close();
  chain.remove();
});

const ask = (path: string, query: Record<string, string>) =>
  server.ask(`/api/tax/v1/${path}?${new URLSearchParams(query)}`);

async function get<Body>(path: string, query: Record<string, string>): Promise<Body> {
  const { status, text } = await ask(path, query);
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const assetsOf = ({ wallets }: HoldingsAt, address: string) =>
  wallets.find((wallet) => wallet.address === address)!.assets;

for (const [height, query] of [
  [451, { at: '2026-02-20T00:00:00Z' }],
  [451, { date: '2026-02-19' }],
  [1000, {}],
] as const) {
  test(`holdings after block ${height} are the node's, of every wallet and denom: ${JSON.stringify(query)}`, async () => {
    const wallets = nodeStates(height);
    for (let i = 0; i < wallets.length; i += 50) {
      const some = wallets.slice(i, i + 50);
      const found = await get<HoldingsAt>('holdings', { address: some.map(({ address }) => address).join(), ...query });
      assert.equal(found.height, height);
      for (const wallet of some) {
        const assets = assetsOf(found, wallet.address).map(
          ({ denom, liquid, staked, unbonding, unclaimed }): [string, string[]] => [
            denom,
            [liquid, String(staked), String(unbonding), String(unclaimed)],
          ],
        );
        assert.deepEqual(new Map(assets.sort()), nodeAssets(wallet), `${wallet.address} after ${height}`);
      }
    }
    assert.ok(wallets.length > 100);
  });
}

/** Liquid, staked and unbonding base units by denom after a block, from the published tables. */
const SECOND = `
  with liquid as (
    select denom, sum(amount) as amount
    from (
      select denom, amount from opening_balances where address = $address
      union all
      select denom, amount from coin_movements where address = $address and height <= $height
    )
    group by denom
  ),
  rates as (
    select validator, max_by(tokens, height) as tokens, max_by(shares, height) as shares
    from validator_rates where height <= $height group by validator
  ),
  staked as (
    select coalesce(sum(staked_coins(own.shares, coalesce(tokens, 1), coalesce(rates.shares, 1))), 0) as amount
    from delegation_intervals as own
    left join rates on rates.validator = own.validator and rates.shares > 0
    where delegator = $address and from_height <= $height and (to_height is null or to_height > $height)
  ),
  unbonding as (
    select coalesce(sum(balance), 0) as amount
    from unbonding_intervals
    where delegator = $address and from_height <= $height and (to_height is null or to_height > $height)
  )
  select denom, sum(liquid)::varchar as liquid, sum(staked)::varchar as staked, sum(unbonding)::varchar as unbonding
  from (
    select denom, amount as liquid, 0 as staked, 0 as unbonding from liquid
    union all
    select 'uatom', 0, amount, 0 from staked
    union all
    select 'uatom', 0, 0, amount from unbonding
  )
  group by denom
  having sum(liquid) <> 0 or sum(staked) <> 0 or sum(unbonding) <> 0
  order by denom`;

const BEFORE = `
  select max(height)::integer as height from blocks join block_nanos using (height)
  where epoch_ns(time::timestamp) + nanos < $instant::bigint`;

test('holdings at any instant are what SQL adds up from the published tables', async () => {
  const delegators = await database.all<{ address: string }>(
    'select distinct delegator as address from delegation_intervals order by address',
  );
  const [bounds] = await database.all<{ first: string; last: string }>(
    'select min(epoch_ns(time::timestamp) + nanos)::varchar as first, max(epoch_ns(time::timestamp) + nanos)::varchar as last from blocks join block_nanos using (height)',
  );
  const instants = fc.bigInt({ min: BigInt(bounds!.first) + 1n, max: BigInt(bounds!.last) });
  let withStake = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...delegators), instants, async ({ address }, instant) => {
      const at = `${new Date(Number(instant / 1_000_000_000n) * 1000).toISOString().slice(0, 19)}.${String(instant % 1_000_000_000n).padStart(9, '0')}Z`;
      const [{ height } = { height: 0 }] = await database.all<{ height: number }>(BEFORE, { instant: String(instant) });
      const expected = await database.all<Record<string, string>>(SECOND, { address, height });
      const found = await get<HoldingsAt>('holdings', { address, at });
      assert.equal(found.height, height, at);
      const units = (denom: string, text: string) => String(parseDecimal(text, rules.denomination(denom).decimals));
      const held = assetsOf(found, address)
        .map(({ denom, liquid, staked, unbonding }) => ({
          denom,
          liquid: units(denom, liquid),
          staked: units(denom, staked!),
          unbonding: units(denom, unbonding!),
        }))
        .filter(({ liquid, staked, unbonding }) => liquid !== '0' || staked !== '0' || unbonding !== '0')
        .sort((a, b) => (a.denom < b.denom ? -1 : 1));
      assert.deepEqual(
        held,
        expected.map((row) => ({ ...row })),
        `${address} at ${at}`,
      );
      if (held.some(({ staked }) => staked !== '0')) withStake++;
    }),
    { numRuns: 200 },
  );
  assert.ok(withStake > 50);
});

const STAKER = 'cosmos1ynej8vy2xqlnmsd75jt60gpjfx7aa3z27eqq53';

test('between the ends of days unclaimed rewards are null, with the nearest instants that have them', async () => {
  const found = await get<HoldingsAt>('holdings', { address: STAKER, at: '2026-02-10T12:00:00Z' });
  const reason = { code: 'between_closes', before: '2026-02-10T00:00:00Z', after: '2026-02-11T00:00:00Z' };
  for (const { unclaimed, unclaimed_reason, unclaimed_value } of assetsOf(found, STAKER)) {
    assert.deepEqual([unclaimed, unclaimed_reason, unclaimed_value], [null, reason, null]);
  }
  assert.equal(found.value_missing, assetsOf(found, STAKER).length);
  // The same block is the last one of the day for a later instant of that day's end.
  const close = await get<HoldingsAt>('holdings', { address: STAKER, at: '2026-02-11T02:00:00+02:00' });
  assert.ok(assetsOf(close, STAKER).every(({ unclaimed }) => unclaimed !== null));
});

test('a wallet without delegations has no unclaimed rewards at any instant', async () => {
  const [idle] = await database.all<{ address: string }>(
    'select address from opening_balances where address not in (select delegator from delegation_intervals) and length(address) = 45 order by address limit 1',
  );
  const found = await get<HoldingsAt>('holdings', { address: idle!.address, at: '2026-02-10T12:00:00Z' });
  assert.ok(
    assetsOf(found, idle!.address).every(
      ({ unclaimed, unclaimed_value }) => unclaimed === '0' && unclaimed_value === '0.00',
    ),
  );
});

test('instants outside the index are refused with the covered range', async () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ at: '2020-01-01T00:00:00Z' }, /after 20\d\d-.* and at most 2026-04-15T08:40:18\.40486Z/],
    [{ at: '2026-04-15T08:40:18.404860001Z' }, /outside the index/],
    [{ date: '2026-04-15' }, /outside the index/],
    [{ date: '2027-01-01' }, /outside the index/],
    [{ at: '2026-02-10' }, /RFC 3339/],
    [{ at: '2026-02-30T00:00:00Z' }, /RFC 3339/],
    [{ at: '2026-02-10T00:00:00' }, /RFC 3339/],
    [{ date: '2026-02-30' }, /calendar date/],
    [{ at: '2026-02-10T00:00:00Z', date: '2026-02-10' }, /combined/],
  ];
  for (const [query, message] of refused) {
    const { status, text } = await ask('holdings', { address: STAKER, ...query });
    assert.equal(status, 400, JSON.stringify(query));
    assert.match(JSON.parse(text).errors[0].message, message);
  }
  const last = await get<HoldingsAt>('holdings', { address: STAKER, at: '2026-04-15T08:40:18.40486Z' });
  assert.equal(last.height, 999);
});

test('values are those of the price of the day in which the last nanosecond lies', async () => {
  const { wallets, total_value } = await get<HoldingsAt>('holdings', { address: STAKER, at: '2026-02-10T00:00:00Z' });
  const { points } = await get<{ points: { date: string; usd: number }[] }>('price-series', {
    start: '2026-02-09',
    end: '2026-02-09',
  });
  const [native] = wallets[0]!.assets;
  const price = parseDecimal(String(points[0]!.usd), 6);
  assert.equal(native!.price_usd, formatDecimal(price, 6));
  const cents = (units: bigint) => (units * price + 5_000_000_000n) / 10_000_000_000n;
  const held = [native!.liquid, native!.staked!, native!.unbonding!].reduce(
    (sum, text) => sum + parseDecimal(text, 6),
    0n,
  );
  assert.equal(parseDecimal(native!.value!, 2), cents(held));
  assert.equal(parseDecimal(native!.unclaimed_value!, 2), cents(parseDecimal(native!.unclaimed!, 6)));
  const sums = wallets[0]!.assets.flatMap(({ value, unclaimed_value }) => [value ?? '0', unclaimed_value ?? '0']);
  assert.equal(
    parseDecimal(total_value, 2),
    sums.reduce((sum, text) => sum + parseDecimal(text, 2), 0n),
  );
});

test('without an instant, values are those of the last published price', async () => {
  const { wallets } = await get<HoldingsAt>('holdings', { address: STAKER });
  const latest = await database.all<{ denom: string; usd: string; day: string }>(
    'select denom, max_by(usd, day)::varchar as usd, max(day)::varchar as day from prices where found group by denom',
  );
  const published = new Map(latest.map(({ denom, usd }) => [denom, parseDecimal(usd, 6)]));
  for (const { denom, price_usd } of wallets[0]!.assets) {
    const price = published.get(denom);
    assert.equal(price_usd, price === undefined ? null : formatDecimal(price, 6), denom);
  }
  assert.ok(latest.find(({ denom }) => denom === 'uatom')!.day < '2026-04-15');
});

test('the CSV has a line for each asset, with empty cells for what is unknown', async () => {
  const { text } = await ask('holdings', { address: STAKER, at: '2026-02-10T12:00:00Z', format: 'csv' });
  const [header, first] = text.split('\r\n');
  assert.equal(
    header,
    'address,symbol,denom,liquid,staked,unbonding,unclaimed,unclaimed_reason,price_usd,value,unclaimed_value,at,height,' +
      'currency,rate_day,per_eur,usd_per_eur',
  );
  assert.match(
    first!,
    /^cosmos1ynej.*,ATOM,uatom,[\d.]+,[\d.]+,[\d.]+,,between_closes,.*,,2026-02-10T12:00:00Z,348,USD,,,$/,
  );
});

interface Month {
  readonly address: string;
  readonly month: string;
  readonly denom: string;
  readonly earned: string;
  readonly paid: string;
  readonly unclaimed: string;
}

test('rewards by day, month and year agree with each other and with reward_months', async () => {
  const table = await database.all<Month>(
    'select address, month, denom, earned::varchar as earned, paid::varchar as paid, unclaimed::varchar as unclaimed from reward_months',
  );
  const addresses = [...new Set(table.map(({ address }) => address))].sort();
  const units = (denom: string, text: string) => parseDecimal(text, rules.denomination(denom).decimals);
  for (const address of addresses) {
    const of = async (interval: string) => (await get<Rewards>('rewards', { address, interval })).periods;
    const [days, months, years] = [await of('day'), await of('month'), await of('year')];
    const sums = (length: number) => {
      const found = new Map<string, bigint[]>();
      for (const { period, denom, earned, paid } of days) {
        const key = `${period.slice(0, length)} ${denom}`;
        const [sum = 0n, out = 0n] = found.get(key) ?? [];
        found.set(key, [sum + units(denom, earned!), out + units(denom, paid!)]);
      }
      return found;
    };
    for (const [length, periods] of [
      [7, months],
      [4, years],
    ] as const) {
      const summed = periods.map(({ period, denom, earned, paid }): [string, bigint[]] => [
        `${period} ${denom}`,
        [units(denom, earned!), units(denom, paid!)],
      ]);
      assert.deepEqual(new Map(summed), sums(length), `${address} by ${length}`);
    }
    const own = table.filter((row) => row.address === address);
    const stored = own.map((row): [string, string[]] => [
      `${row.month} ${row.denom}`,
      [row.earned, row.paid, row.unclaimed],
    ]);
    const said = months.map(({ period, denom, earned, paid, unclaimed }): [string, string[]] => [
      `${period} ${denom}`,
      [earned, paid, unclaimed].map((text) => String(units(denom, text!))),
    ]);
    assert.deepEqual(new Map(said), new Map(stored), address);
  }
  assert.ok(addresses.length > 100 && table.some(({ earned }) => earned !== '0'));
});

test('a part of a month has the rewards of the requested days', async () => {
  const query = { address: STAKER, start: '2026-02-10', end: '2026-02-12' };
  const [part] = (await get<Rewards>('rewards', { ...query, interval: 'month' })).periods;
  const days = (await get<Rewards>('rewards', { ...query, interval: 'day' })).periods.filter(
    ({ denom }) => denom === 'uatom',
  );
  const sum = days.reduce((total, { earned }) => total + parseDecimal(earned!, 6), 0n);
  assert.deepEqual([part!.period, parseDecimal(part!.earned!, 6)], ['2026-02', sum]);
  assert.deepEqual(
    days.map(({ period }) => period),
    ['2026-02-10', '2026-02-11', '2026-02-12'],
  );
});

/** The bank's rates of a day or the last one before it that has both, as it wrote them. */
async function bankRates(day: string, currency: string) {
  const sql =
    "select strftime(x.day, '%Y-%m-%d') as day, x.per_eur::varchar as own, u.per_eur::varchar as usd from exchange_rates as x " +
    "join exchange_rates as u on u.day = x.day and u.currency = 'USD' " +
    'where x.currency = $currency and x.day between $first::date and $day::date order by x.day desc limit 1';
  const of = currency === 'EUR' ? 'USD' : currency;
  const [found] = await database.all<{ day: string; own: string; usd: string }>(sql, {
    currency: of,
    day,
    first: addDays(day, -7),
  });
  return found && { ...found, own: currency === 'EUR' ? '1' : found.own };
}

const plain = (text: string) => new Decimal(text).toFixed();

test('values in another currency are those of a second computation, also on weekends and holidays', async () => {
  const addresses = nodeStates(1000)
    .slice(0, 40)
    .map(({ address }) => address);
  let known = 0;
  for (const date of [
    '2026-01-03',
    '2026-02-19',
    '2026-02-22',
    '2026-04-02',
    '2026-04-03',
    '2026-04-05',
    '2026-04-06',
  ]) {
    for (const currency of ['EUR', 'GBP', 'CHF', 'CAD', 'AUD', 'JPY', 'KRW', 'BGN']) {
      const found = await get<HoldingsAt>('holdings', { address: addresses.join(), date, currency });
      const bank = await bankRates(date, currency);
      assert.deepEqual(
        [found.currency, found.rate],
        [currency, bank ? { day: bank.day, per_eur: plain(bank.own), usd_per_eur: plain(bank.usd) } : null],
      );
      const places = ['JPY', 'KRW'].includes(currency) ? 0 : 2;
      const money = (quantity: Decimal, price: string | null) =>
        !bank || price === null ? null : quantity.times(price).times(bank.own).dividedBy(bank.usd).toFixed(places);
      let total = new Decimal(0);
      for (const { liquid, staked, unbonding, unclaimed, price_usd, value, unclaimed_value } of found.wallets.flatMap(
        ({ assets }) => assets,
      )) {
        assert.equal(value, money(new Decimal(liquid).plus(staked!).plus(unbonding!), price_usd));
        if (unclaimed !== '0')
          assert.equal(unclaimed_value, unclaimed === null ? null : money(new Decimal(unclaimed), price_usd));
        total = total.plus(value ?? 0).plus(unclaimed_value ?? 0);
        if (value !== null) known++;
      }
      assert.equal(found.total_value, total.toFixed(places));
    }
  }
  assert.ok(known > 500);
  const late = { address: addresses.join(), date: '2026-01-09', currency: 'BGN' }; // no longer quoted, nine days later
  const { rate, total_value, value_missing, wallets } = await get<HoldingsAt>('holdings', late);
  assert.deepEqual([rate, total_value], [null, '0.00']);
  assert.equal(value_missing, wallets.flatMap(({ assets }) => assets).length);
});

test('USD is the usual currency; other words, and lower case, are refused', async () => {
  const [{ address }] = nodeStates(1000) as [NodeState];
  assert.equal((await ask('holdings', { address, currency: 'USD' })).text, (await ask('holdings', { address })).text);
  for (const currency of ['eur', 'USDT', 'HRK', 'E', '', 'XAU']) {
    const { status, text } = await ask('holdings', { address, currency });
    assert.equal(status, 400, currency);
    assert.match(text, /currency/);
  }
  const { text } = await ask('holdings', { address, date: '2026-04-03', currency: 'JPY', format: 'csv' });
  const [header, row] = text.split('\n').map((line) => line.trim().split(','));
  assert.deepEqual(header!.slice(-4), ['currency', 'rate_day', 'per_eur', 'usd_per_eur']);
  assert.deepEqual(row!.slice(-4), ['JPY', '2026-04-02', '183.94', '1.1525']);
});
