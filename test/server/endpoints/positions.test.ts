import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { sharedServer, WALLETS } from '../harness.js';
import { parseTable } from '../parse-csv.js';
import { recordedEvents } from '../published.js';

type Row = Readonly<Record<string, string | number | boolean>>;
interface Answer {
  readonly as_of: string;
  readonly priced_as_of: string;
  readonly methodology_version: string;
  readonly note: string;
  readonly count: number;
  readonly positions: Row[];
}

const PATH = '/api/tax/v1/positions';
const { light, busy, short, big, flagged, silent } = WALLETS;
const RECEIPT = recordedEvents(short)[0]!.tx_hash;

const server = sharedServer();

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);
async function positions(query: Record<string, string>): Promise<Answer> {
  const answer = await get(query);
  assert.equal(answer.status, 200, answer.text);
  const body = answer.json<Answer>();
  assert.equal(body.count, body.positions.length);
  return body;
}

test('a recorded wallet, by hand: what is known and what is not', async () => {
  const { as_of, methodology_version, note, positions: rows } = await positions({ address: short, date: '2026-02-12' });
  assert.deepEqual([as_of, methodology_version], ['2026-02-12', loadReference().methodology.version]);
  assert.match(note, /basis of 49\.990001 ATOM is unknown/);
  // 50.000001 came, two fees of 0.005 went, a reward of 0.021078 worth 0.05 came; ATOM stood at 2.00.
  assert.deepEqual(rows, [
    {
      address: short,
      asset: 'ATOM',
      denom: 'uatom',
      quantity: '50.011079',
      cost_basis_usd: '0.05',
      basis_unknown_quantity: '49.990001',
      market_price_usd: '2',
      market_value_usd: '100.02',
      unrealized_gain_usd: '-0.01',
      price_missing: false,
      lots: 2,
      oldest_lot: '2026-01-18',
      opening_quantity: '0',
      priced_as_of: '2026-02-12',
    },
  ]);
});

test('a day counts to its end, and what comes later does not', async () => {
  const at = async (date: string) => (await positions({ address: short, date })).positions.map((row) => row.quantity);
  assert.deepEqual(await at('2026-01-17'), []);
  assert.deepEqual(await at('2026-01-18'), ['49.995001']);
  assert.deepEqual(await at('2026-01-22'), ['50.011079']);
  assert.deepEqual(await at('2026-06-01'), ['50.011079']);
});

test('no date and the date of today are one answer, valued at the last published price; an earlier day has its own', async () => {
  const { as_of, priced_as_of, positions: rows } = await positions({ address: short });
  const series = await server.ask('/api/tax/v1/price-series?start=2025-12-31&end=2026-06-01');
  const { points } = series.json<{ points: { date: string; usd: number; found: boolean }[] }>();
  const last = points.findLast(({ found }) => found)!;
  assert.deepEqual([as_of, priced_as_of, rows[0]!.priced_as_of], ['2026-06-01', last.date, last.date]);
  assert.deepEqual([rows[0]!.market_price_usd, rows[0]!.price_missing], [String(last.usd), false]);
  for (const format of ['json', 'csv']) {
    const [plain, dated] = [await get({ address: short, format }), await get({ address: short, format, date: as_of })];
    assert.equal(dated.text, plain.text);
    assert.equal(dated.headers.get('etag'), plain.headers.get('etag'));
  }
  const earlier = await positions({ address: short, date: '2026-05-31' });
  assert.deepEqual([earlier.priced_as_of, earlier.positions[0]!.market_price_usd], ['', '']);
  assert.equal(earlier.positions[0]!.price_missing, true);
});

test('a day without a price has no values, only quantities and cost', async () => {
  const [row] = (await positions({ address: short, date: '2026-04-14' })).positions;
  const { market_price_usd, market_value_usd, unrealized_gain_usd, price_missing, quantity, cost_basis_usd } = row!;
  assert.deepEqual([market_price_usd, market_value_usd, unrealized_gain_usd, price_missing], ['', '', '', true]);
  assert.deepEqual([quantity, cost_basis_usd], ['50.011079', '0.05']);
});

test('a tag gives the coins their basis', async () => {
  const tags = JSON.stringify({ [RECEIPT]: 'purchase' });
  const [row] = (await positions({ address: short, date: '2026-02-12', tags })).positions;
  // The basis is 125.00 less two cents of fees, and the reward; the gain is 100.02 less 125.03.
  assert.deepEqual(
    [row!.cost_basis_usd, row!.basis_unknown_quantity, row!.unrealized_gain_usd],
    ['125.03', '0', '-25.01'],
  );
  assert.equal((await get({ address: short, tags: tags.replace('purchase', 'sale') })).status, 400);
});

test('an override may say what was paid and when', async () => {
  const override = { mode: 'override', cost_basis_usd: '60', acquired_date: '2021-05-01' };
  const asset_decisions = JSON.stringify({ [recordedEvents(flagged)[0]!.id]: override });
  const [row] = (await positions({ address: flagged, date: '2026-01-18', asset_decisions })).positions;
  // One fee of 0.005 took 0.006 of 60.00 with it: a cent.
  assert.deepEqual([row!.cost_basis_usd, row!.oldest_lot], ['59.99', '2021-05-01']);
});

test('a token of no registry is held in base units and has no price', async () => {
  const token = (await positions({ address: busy, date: '2026-04-03' })).positions.find((row) => row.asset !== 'ATOM');
  assert.deepEqual([token?.quantity, token?.price_missing, token?.asset === token?.denom], ['1000000000', true, true]);
});

test('wallets one after the other, never pooled', async () => {
  const date = '2026-03-31';
  const alone = await Promise.all([light, busy, short].map((address) => positions({ address, date })));
  const together = await positions({ address: [light, busy, silent, short].join(','), date });
  assert.deepEqual(
    together.positions,
    alone.flatMap((answer) => answer.positions),
  );
  assert.deepEqual((await positions({ address: silent, date })).positions, []);
});

test('CSV carries the same rows', async () => {
  const query = { address: `${busy},${big}`, date: '2026-03-31' };
  const csv = await get({ ...query, format: 'csv' });
  assert.match(csv.headers.get('content-disposition')!, /filename="positions-\w{8}-and-1-more-2026-03-31\.csv"/);
  const rows = (await positions(query)).positions.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
  );
  assert.deepEqual(parseTable(csv.text), rows);
  assert.equal(csv.text.split('\r\n')[0], Object.keys(rows[0]!).join());
});

test('wrong dates are refused', async () => {
  for (const date of ['2026-02-30', '2026-02-01T00:00:00Z', '', 'today', '2026-06-02', '2025-12-30']) {
    const refused = await get({ address: short, date });
    assert.deepEqual([refused.status, refused.json().errors[0].path], [400, 'date'], date);
  }
});
