import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventList, Form8949, Journal, Summary } from '../../../../schemas/types.generated.js';
import { sharedServer, WALLETS } from '../../harness.js';
import { asCell, parseTable } from '../../parse-csv.js';
import { recordedEvents } from '../../published.js';
import { type Ask, requireTies } from './ties.js';

const PATH = '/api/tax/v1/summary';
const { light, busy, short, big, flagged, silent } = WALLETS;
const EVERYONE = [light, busy, short, big, silent].join(',');
const YEAR = { start: '2026-01-01', end: '2026-12-31' };

const server = sharedServer();

const ask: Ask = async (path, query) => {
  const answer = await server.ask(`/api/tax/v1/${path}?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`);
  return JSON.parse(answer.text);
};
const summary = (query: Record<string, string>) => ask<Summary>('summary', query);

test('a recorded wallet, by hand', async () => {
  const { total, wallets, start, end, own_transfers } = await summary({ address: short, year: '2026' });
  assert.deepEqual([start, end, own_transfers], ['2026-01-01', '2026-12-31', []]);
  assert.deepEqual(wallets, [{ ...total, address: short }]);
  // 50.000001 came, two fees of 0.005 went at 2.50 and 2.41, a reward of 0.021078 worth 0.05 came.
  assert.deepEqual([total.income_usd, total.rows], ['0.05', 7]);
  assert.deepEqual(
    total.income.map(({ account, category, quantity, income_usd }) => [account, category, quantity, income_usd]),
    [['Income: Staking Rewards', 'staking_reward', '0.021078', '0.05']],
  );
  const [atom] = total.assets;
  assert.deepEqual(
    [atom!.opening_quantity, atom!.in_quantity, atom!.out_quantity, atom!.closing_quantity, atom!.closing_cost_usd],
    ['0', '50.021079', '0.01', '50.011079', '0.05'],
  );
  assert.equal(total.open.find(({ question }) => question === 'receipts_of_unknown_basis')!.count, 1);
});

test('it ties to events, journal and positions, wallet by wallet and all together', async () => {
  for (const address of [light, busy, short, big, silent, EVERYONE]) {
    await requireTies(ask, { address, ...YEAR }, '2025-12-31');
  }
  // The copies in `big` are not in the order of time.
  for (const address of [light, busy, short, [short, light, busy].join(',')]) {
    await requireTies(ask, { address, start: '2026-01-20', end: '2026-02-28' }, '2026-01-19');
  }
});

test('it ties with tags, decisions and carried lots', async () => {
  const tags: Record<string, string> = {};
  for (const row of [light, busy, short].flatMap(recordedEvents)) {
    if (row.category === 'transfer_in') tags[row.id] = ['income', 'purchase', 'gift'][row.height % 3]!;
    if (row.category === 'transfer_out') tags[row.id] = ['sale', 'donation', 'gift', 'lost'][row.height % 4]!;
  }
  const asset_decisions = JSON.stringify({ '*': { mode: 'exclude' } });
  const query = { address: `${EVERYONE},${flagged}`, tags: JSON.stringify(tags), asset_decisions };
  const { total, tagged } = await requireTies(ask, { ...query, ...YEAR }, '2025-12-31');
  assert.equal(tagged?.length, Object.keys(tags).length);
  assert.ok(total.reliefs.some(({ kind }) => kind === 'gift' || kind === 'donation' || kind === 'loss'));
  await requireTies(ask, { ...query, ...YEAR, own_wallets: 'carry' }, '2025-12-31');
});

test('an owner states a missing value: the question ends, and every file has the proceeds', async () => {
  const address = light;
  const questions = ({ total }: Summary) => total.open.filter(({ question }) => question === 'rows_without_price');
  const asked = questions(await summary({ address, ...YEAR }));
  const { events } = await ask<EventList>('events', { address, ...YEAR });
  const ids = asked.flatMap((line) => line.row_ids!);
  const unpriced = events.filter(({ id, priceMissing }) => priceMissing && ids.includes(id));
  assert.equal(unpriced.length, ids.length);
  const sale = unpriced.find(({ category }) => category === 'transfer_out')!;
  const fee = unpriced.find(({ category }) => category === 'fee')!;
  for (const stated of [
    { tags: JSON.stringify({ [sale.id]: { tag: 'sale', value_usd: '12.34' } }) },
    { asset_decisions: JSON.stringify({ [sale.id]: { mode: 'override', value_usd: '12.34' } }) },
    { asset_decisions: JSON.stringify({ [fee.id]: { mode: 'override', value_usd: '12.34' } }) },
  ]) {
    const own = 'tags' in stated || stated.asset_decisions.includes(sale.id) ? sale : fee;
    const query = { address, ...YEAR, ...stated };
    const left = questions(await requireTies(ask, query, '2025-12-31')).flatMap((line) => line.row_ids!);
    assert.deepEqual(
      left,
      ids.filter((id) => id !== own.id),
    );
    const row = (await ask<EventList>('events', query)).events.find(({ id }) => id === own.id)!;
    assert.deepEqual([row.valueUsd, row.valueStatus, row.priceMissing], [12.34, 'stated', false]);
    const { lines } = await ask<Journal>('journal', { ...query, format: 'json' });
    assert.deepEqual(
      lines.filter((line) => line.entry_id === `${own.id}-0`).map((line) => line.proceeds_usd),
      ['12.34', '12.34'],
    );
    const form = await ask<Form8949>('journal', { ...query, format: 'json', profile: 'form8949' });
    const slices = form.rows.filter((line) => line.entry_id === `${own.id}-0`);
    assert.equal(slices.reduce((sum, slice) => sum + Number(slice.proceeds_usd), 0).toFixed(2), '12.34');
    const koinly = await server.ask(`/api/tax/v1/events?${new URLSearchParams({ ...query, profile: 'koinly' })}`);
    assert.ok(
      koinly.text.split('\r\n').some((line) => line.includes(',12.34,USD,')),
      koinly.text.slice(0, 500),
    );
  }
});

test('a year is its days', async () => {
  const [byYear, byDays] = [await summary({ address: busy, year: '2026' }), await summary({ address: busy, ...YEAR })];
  assert.deepEqual(byYear, byDays);
  const [fromMay, both] = [{ start: '2026-05-01' }, { start: '2026-05-01', end: '2026-12-31' }];
  assert.deepEqual(
    await summary({ address: busy, year: '2026', ...fromMay }),
    await summary({ address: busy, ...both }),
  );
  const { start, end, total } = await summary({ address: busy, year: '2024' });
  assert.deepEqual([start, end, total.rows, total.assets], ['2024-01-01', '2024-12-31', 0, []]);
});

test('links lead to answers', async () => {
  for (const { link } of (await summary({ address: `${light},${busy}`, year: '2026' })).total.open) {
    const answer = await server.ask(link);
    assert.equal(answer.status, 200, link);
  }
});

test('CSV has every list under its section', async () => {
  const query = { address: `${busy},${light}`, year: '2026' };
  const csv = await server.ask(`${PATH}?${new URLSearchParams({ ...query, format: 'csv' })}`);
  assert.match(
    csv.headers.get('content-disposition')!,
    /filename="summary-\w{8}-and-1-more-2026-01-01-2026-12-31\.csv"/,
  );
  const rows = parseTable(csv.text);
  const { total, wallets, generation } = await summary(query);
  assert.equal(rows.find(({ section }) => section === 'basis')!.generation, generation);
  for (const { address, ...sheet } of [total, ...wallets]) {
    for (const section of [
      'income',
      'disposals',
      'reliefs',
      'refunds_across',
      'carried',
      'assets',
      'accounts',
      'open',
    ] as const) {
      const its = rows.filter((row) => row.address === address && row.section === section);
      assert.equal(its.length, sheet[section].length);
      sheet[section].forEach((line, i) => {
        for (const [name, value] of Object.entries(line)) assert.equal(its[i]![name], asCell(value), name);
      });
    }
  }
});

test('receipts up to the end want a decision', async () => {
  const refused = await server.ask(`${PATH}?address=${flagged}&year=2026`);
  assert.deepEqual([refused.status, refused.json().code, refused.json().pending], [409, 'asset_decisions_required', 1]);
  const earlier = await summary({ address: flagged, year: '2025' });
  assert.equal(earlier.total.open.find(({ question }) => question === 'undecided_receipts')!.count, 1);
});

test('a wrong year is refused by its name', async () => {
  const outside = await server.ask(`${PATH}?address=${short}&year=2025&start=2026-01-01`);
  assert.deepEqual(
    [outside.status, outside.json().errors],
    [400, [{ path: 'year', message: 'start and end must lie in the year' }]],
  );
  const more = {
    '26': {},
    '2026-01': {},
    '': {},
    year: {},
    '2026': { start: '2025-12-31' },
    '2025': { end: '2026-02-01' },
  };
  for (const [year, query] of Object.entries(more)) {
    const refused = await server.ask(`${PATH}?${new URLSearchParams({ address: short, year, ...query })}`);
    assert.deepEqual([refused.status, refused.json().errors[0].path], [400, 'year'], year);
  }
});
