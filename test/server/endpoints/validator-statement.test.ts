import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import type { ValidatorStatement } from '../../../schemas/types.generated.js';
import { OPERATORS, sharedServer, startServer } from '../harness.js';
import { generationOf, HEIGHT, OTHER_DENOMS } from '../published.js';

const { version } = loadReference().methodology;

const PATH = '/api/tax/v1/validator-statement';
const { alpha } = OPERATORS;

const server = sharedServer();

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);
const statement = async (query: Record<string, string>) => (await get(query)).json<ValidatorStatement>();

const NOTHING = {
  symbol: 'ATOM',
  commission_amount: '0',
  commission_usd: '0.00',
  delegator_rewards_amount: '0',
  delegator_rewards_usd: '0.00',
  reward_events: 0,
  unique_delegators: 0,
  price_missing_days: 0,
  price_missing_events: 0,
  own_rewards_amount: '0',
  own_rewards_usd: '0.00',
  others_rewards_amount: '0',
  others_rewards_usd: '0.00',
  other_commission: [],
};

/** Members of a month at whose end nothing is known of the validator. */
const UNKNOWN = { commission_accrued_on: '', commission_accrued_amount: '', other_commission_accrued: [] };

const JANUARY = {
  ...NOTHING,
  commission_amount: '2',
  commission_usd: '4.18',
  delegator_rewards_amount: '1.5',
  delegator_rewards_usd: '3.14',
  reward_events: 2,
  unique_delegators: 1,
  others_rewards_amount: '1.5',
  others_rewards_usd: '3.14',
};

const MARCH = {
  ...NOTHING,
  delegator_rewards_amount: '0.700002',
  reward_events: 2,
  unique_delegators: 2,
  price_missing_days: 1,
  price_missing_events: 1,
  others_rewards_amount: '0.700002',
};

const APRIL = {
  ...NOTHING,
  delegator_rewards_amount: '3.5',
  delegator_rewards_usd: '7.70',
  reward_events: 3,
  unique_delegators: 2,
  own_rewards_amount: '3',
  own_rewards_usd: '6.60',
  others_rewards_amount: '0.5',
  others_rewards_usd: '1.10',
  other_commission: [
    { denom: OTHER_DENOMS.unknown, symbol: OTHER_DENOMS.unknown, amount: '7', usd: '0.00', price_missing_amount: '7' },
    { denom: OTHER_DENOMS.usdc, symbol: 'USDC', amount: '13', usd: '12.50', price_missing_amount: '0.5' },
  ],
};

test('every month of the index, and a total in which a delegator counts once', async () => {
  const { months, total, coverage, ...head } = await statement({ validator: alpha });
  assert.deepEqual(head, {
    validator: alpha,
    moniker: 'Alpha Node',
    jurisdiction: 'undisclosed',
    methodology_version: version,
    recognition_policy: 'at-claim',
  });
  assert.deepEqual(months, [
    { month: '2025-12', ...NOTHING, incomplete: false, ...UNKNOWN },
    {
      ...{ month: '2026-01', ...JANUARY, incomplete: false },
      commission_accrued_on: '2026-01-31',
      commission_accrued_amount: '1.234567',
      other_commission_accrued: [{ denom: OTHER_DENOMS.usdc, symbol: 'USDC', amount: '0.000005' }],
    },
    { month: '2026-02', ...NOTHING, incomplete: false, ...UNKNOWN },
    {
      ...{ month: '2026-03', ...MARCH, incomplete: false, ...UNKNOWN },
      ...{ commission_accrued_on: '2026-03-31', commission_accrued_amount: '0' },
    },
    { month: '2026-04', ...APRIL, incomplete: true, ...UNKNOWN },
  ]);
  assert.deepEqual(total, {
    ...JANUARY,
    ...APRIL,
    delegator_rewards_amount: '5.700002',
    delegator_rewards_usd: '10.84',
    commission_amount: '2',
    commission_usd: '4.18',
    reward_events: 7,
    unique_delegators: 3,
    price_missing_days: 1,
    price_missing_events: 1,
    others_rewards_amount: '2.700002',
    others_rewards_usd: '4.24',
  });
  const { note, ...extent } = coverage;
  assert.deepEqual(extent, {
    index_start: '2025-12-31',
    index_end: '2026-04-14',
    replay_cursor: '2026-04-14T12:00:00Z',
    complete: true,
    range_complete: true,
    covered_from: '2025-12-31T00:00:00Z',
    covered_to: '2026-04-14T12:00:00Z',
    generation: generationOf(HEIGHT),
    height: HEIGHT,
    holdings_from: 1,
    holdings_until: 1000,
  });
  assert.match(note, /^Every block from 2025-12-31 to 2026-04-14 is indexed/);
});

test('the jurisdiction is what the operator disclosed', async () => {
  const { jurisdiction, moniker } = await statement({ validator: OPERATORS.disclosed });
  assert.deepEqual([jurisdiction, moniker], ['RO', '01node | now']);
});

test('both bounds are days of the range, wherever in their months they lie', async () => {
  const of = async (start: string, end: string) => {
    const { months, total } = await statement({ validator: alpha, start, end });
    return [months.map(({ month }) => month), total.delegator_rewards_amount, total.unique_delegators];
  };
  assert.deepEqual(await of('2026-01-02', '2026-03-01'), [['2026-01', '2026-02', '2026-03'], '2.200001', 2]);
  assert.deepEqual(await of('2026-01-03', '2026-02-28'), [['2026-01', '2026-02'], '0', 0]);
  assert.deepEqual(await of('2026-03-02', '2027-01-01'), [['2026-03', '2026-04'], '3.500001', 2]);
  assert.deepEqual(await of('2027-01-01', '2027-02-01'), [[], '0', 0]);
});

test('a validator that paid nothing, or is gone, has a statement; one that never was has none', async () => {
  const { moniker, total } = await statement({ validator: OPERATORS.gone.toUpperCase() });
  assert.deepEqual([moniker, total], ["'Charlie'", NOTHING]);
  const unknown = await get({ validator: 'cosmosvaloper1jhhykys9xmfd03sad53zdq9jvmyzm2gns753en' });
  assert.deepEqual([unknown.status, unknown.json().code], [404, 'not_found']);
});

test('refused: no operator address, or a wrong one', async () => {
  for (const validator of [
    undefined,
    alpha.replace('l64', '164'),
    `${alpha.slice(0, -1)}q`,
    'cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w',
    `${alpha},${alpha}`,
    '',
  ]) {
    const { status, ...answer } = await get(validator === undefined ? {} : { validator });
    assert.equal(status, 400, validator);
    const [fault] = answer.json<{ errors: { path: string }[] }>().errors;
    assert.equal(fault!.path, 'validator');
  }
  assert.equal((await get({ validator: alpha, start: '2026-02-30' })).status, 400);
  assert.equal((await get({ validator: alpha, start: '2026-02-02', end: '2026-02-01' })).status, 400);
});

test('CSV has the months', async () => {
  const csv = await get({ validator: alpha, start: '2026-01-01', end: '2026-01-31', format: 'csv' });
  assert.equal(
    csv.text,
    'month,symbol,commission_amount,commission_usd,delegator_rewards_amount,delegator_rewards_usd,reward_events,unique_delegators,price_missing_days,price_missing_events,incomplete,' +
      'own_rewards_amount,own_rewards_usd,others_rewards_amount,others_rewards_usd,other_commission,commission_accrued_on,commission_accrued_amount,other_commission_accrued\r\n' +
      '2026-01,ATOM,2,4.18,1.5,3.14,2,1,0,0,false,0,0.00,1.5,3.14,,2026-01-31,1.234567,0.000005 USDC\r\n',
  );
  assert.equal(
    csv.headers.get('content-disposition'),
    'attachment; filename="validator-statement-l64h4yr7-2026-01-01-2026-01-31.csv"',
  );
});

test('a month is incomplete if a day that is over or asked for is not indexed, and CSV has coverage as a header', async () => {
  const incompleteOf = async (query: Record<string, string>, base = server) =>
    (await base.ask(`${PATH}?${new URLSearchParams({ validator: alpha, ...query })}`))
      .json<ValidatorStatement>()
      .months.flatMap(({ month, incomplete }) => (incomplete ? [month] : []));
  assert.deepEqual(await incompleteOf({}), ['2026-04']); // the index ends on April 14, and April is over
  assert.deepEqual(await incompleteOf({ start: '2026-04-03', end: '2026-04-05' }), ['2026-04']);
  assert.deepEqual(await incompleteOf({ start: '2026-03-10', end: '2026-03-20' }), []); // a part of a replayed month
  assert.deepEqual(await incompleteOf({ start: '2025-12-31', end: '2026-01-01' }), []);
  assert.deepEqual(await incompleteOf({ start: '2025-12-30', end: '2026-01-01' }), ['2025-12']);
  const fresh = await startServer({ environment: { HUBLEDGER_NOW: '2026-04-14T13:00:00Z' } });
  try {
    assert.deepEqual(await incompleteOf({}, fresh), []); // April 14 is not over
    assert.deepEqual(await incompleteOf({ end: '2026-04-13' }, fresh), []);
    assert.deepEqual(await incompleteOf({ end: '2026-04-14' }, fresh), ['2026-04']);
  } finally {
    await fresh.close();
  }
  const range = { validator: alpha, start: '2026-01-02', end: '2026-03-31' };
  const { months, coverage } = await statement(range);
  assert.deepEqual(
    months.map(({ month, incomplete }) => [month, incomplete]),
    [
      ['2026-01', false],
      ['2026-02', false],
      ['2026-03', false],
    ],
  );
  assert.deepEqual([coverage.range_complete, coverage.covered_to], [true, '2026-03-31T23:59:59Z']);
  const csv = await get({ ...range, format: 'csv' });
  const { note, ...told } = coverage;
  assert.deepEqual(JSON.parse(csv.headers.get('x-coverage')!), told);
  const beyond = await statement({ validator: alpha, end: '2026-04-30' });
  assert.deepEqual([beyond.coverage.complete, beyond.coverage.range_complete], [true, false]);
  assert.match(beyond.coverage.note, /The requested time after 2026-04-14T12:00:00Z is not indexed/);
});

test('a list is one cell of CSV, which says what has no price', async () => {
  const { text } = await get({ validator: alpha, start: '2026-04-01', format: 'csv' });
  const cell = `7 ${OTHER_DENOMS.unknown} without a price; 13 USDC = 12.50 USD, 0.5 of it without a price`;
  assert.ok(text.includes(`,3,6.60,0.5,1.10,"${cell}",,,\r\n`), text);
});

test('figures of another methodology are marked as still to be replayed', async () => {
  const older = await startServer({ manifest: { methodology_version: '0.9.0' } });
  try {
    const answer = await older.ask(`${PATH}?validator=${alpha}`);
    const { months, coverage, methodology_version } = answer.json<ValidatorStatement>();
    assert.equal(methodology_version, '0.9.0');
    assert.ok(months.length > 0 && months.every(({ incomplete }) => incomplete));
    const { complete, range_complete, replay_cursor } = coverage;
    assert.deepEqual([complete, range_complete, replay_cursor], [false, false, '']);
    assert.ok(coverage.note.includes(`methodology 0.9.0, not ${version}`), coverage.note);
  } finally {
    await older.close();
  }
});
