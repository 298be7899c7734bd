import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { sharedServer, WALLETS } from '../harness.js';
import { asCell, parseCsv, parseTable } from '../parse-csv.js';
import { posting } from '../people/accounts/signed-in.js';
import { recordedEvents } from '../published.js';

type Line = Readonly<Record<string, string>>;

const PATH = '/api/tax/v1/journal';
const { light, busy, short, big, silent } = WALLETS;
const RECEIPT = recordedEvents(short)[0]!.tx_hash;

const server = sharedServer();

const get = (query: Record<string, string>) => server.ask(`${PATH}?${new URLSearchParams(query)}`);
async function lines(query: Record<string, string>): Promise<Line[]> {
  const answer = await get({ format: 'json', ...query });
  assert.equal(answer.status, 200, answer.text);
  const { count, lines } = answer.json<{ count: number; lines: Line[] }>();
  assert.equal(count, lines.length);
  return lines;
}

/** Entries as [account debited, account credited, amount, quantity, memo], in order. */
function entries(lines: readonly Line[]): string[][] {
  return Array.from({ length: lines.length / 2 }, (_, i) => {
    const [debit, credit] = [lines[2 * i]!, lines[2 * i + 1]!];
    assert.equal(debit.entry_id, credit.entry_id);
    assert.deepEqual([debit.credit_usd, credit.debit_usd, credit.credit_usd], ['', '', debit.debit_usd]);
    return [debit.account!, credit.account!, debit.debit_usd!, debit.quantity!, debit.memo!];
  });
}

test('format alone selects CSV or JSON, whatever the Accept header prefers', async () => {
  const typeOf = async (accept: string, query: Record<string, string> = {}, init: RequestInit = {}) => {
    const answer = await server.ask(`${PATH}?${new URLSearchParams(query)}`, {
      ...init,
      headers: { ...init.headers, ...(accept && { accept }) },
    });
    assert.deepEqual([answer.status, answer.headers.get('vary')], [200, 'Accept-Encoding, Authorization, Cookie']);
    return /^\w+\/(\w+)/.exec(answer.headers.get('content-type')!)![1];
  };
  const address = short;
  const body = posting({ address });
  for (const accept of ['', '*/*', 'text/csv', 'application/json', 'text/csv;q=0.1, application/json']) {
    assert.equal(await typeOf(accept, { address }), 'csv', accept);
    assert.equal(await typeOf(accept, { address, format: 'csv' }), 'csv', accept);
    assert.equal(await typeOf(accept, { address, format: 'json' }), 'json', accept);
    assert.equal(await typeOf(accept, {}, body), 'csv', accept);
  }
});

test('a recorded wallet, by hand: coins of unknown basis, two fees, a reward', async () => {
  assert.deepEqual(entries(await lines({ address: short })), [
    ['Digital Assets: ATOM', 'Transfers In: Unclassified', '0.00', '50.000001', 'basis unknown; FMV 125.00'],
    ['Expense: Network Fees', 'Digital Assets: ATOM', '0.00', '0.005', 'basis unknown of 0.005 ATOM'],
    ['Expense: Network Fees', 'Equity: Unknown Basis', '0.01', '', ''],
    ['Expense: Network Fees', 'Digital Assets: ATOM', '0.00', '0.005', 'basis unknown of 0.005 ATOM'],
    ['Expense: Network Fees', 'Equity: Unknown Basis', '0.01', '', ''],
    ['Digital Assets: ATOM', 'Income: Staking Rewards', '0.05', '0.021078', ''],
  ]);
});

test('members of a line, in order', async () => {
  const reward = (await lines({ address: short })).at(-1)!;
  assert.deepEqual(Object.entries(reward), [
    ['date_utc', '2026-01-22 21:53:12'],
    ['tx_hash', recordedEvents(short)[4]!.tx_hash],
    ['entry_id', '186-0-11-0-in-0'],
    ['account', 'Income: Staking Rewards'],
    ['debit_usd', ''],
    ['credit_usd', '0.05'],
    ['asset', 'ATOM'],
    ['quantity', '0.021078'],
    ['category', 'staking_reward'],
    ['memo', ''],
    ['price_usd', '2.4'],
    ['counterparty', ''],
    ['validator', recordedEvents(short)[4]!.validator],
    ['validator_country', 'undisclosed'],
    ['methodology_version', loadReference().methodology.version],
    ['address', short],
    ['basis_unknown_quantity', '0'],
    ['proceeds_usd', ''],
    ['acquired', '2026-01-22'],
    ['term', ''],
    ['tx_memo', recordedEvents(short)[4]!.memo],
  ]);
});

test('a tag gives the coins a basis, from which the fees are relieved by the cent', async () => {
  // The basis is 125.00 for 50.000001: 0.005 carry 0.0125, the next 0.005 up to 0.025, which is one cent each.
  const tagged = await lines({ address: short, tags: JSON.stringify({ [RECEIPT]: 'purchase' }) });
  assert.deepEqual(
    entries(tagged).map((entry) => entry.slice(0, 3)),
    [
      ['Digital Assets: ATOM', 'Clearing: Purchases', '125.00'],
      ['Expense: Network Fees', 'Digital Assets: ATOM', '0.01'],
      ['Expense: Network Fees', 'Digital Assets: ATOM', '0.01'],
      ['Digital Assets: ATOM', 'Income: Staking Rewards', '0.05'],
    ],
  );
  const refused = await get({ address: short, tags: JSON.stringify({ [RECEIPT]: 'sale' }) });
  assert.equal(refused.json().errors[0].path, `tags/${RECEIPT}`);
});

test('start and end choose the lines that are shown, never what they say', async () => {
  for (const address of [light, busy, big]) {
    const all = await lines({ address });
    const range = { start: '2026-02-13', end: '2026-03-06' };
    const inside = all.filter(
      ({ date_utc }) => date_utc! >= '2026-02-13 00:00:00' && date_utc! <= '2026-03-06 23:59:59',
    );
    assert.ok(inside.length > 0 && inside.length < all.length);
    assert.deepEqual(await lines({ address, ...range }), inside);
  }
});

test('wallets one after the other, each as if alone', async () => {
  const [a, b] = [await lines({ address: short }), await lines({ address: light })];
  assert.deepEqual(await lines({ address: `${light},${silent},${short}` }), [...b, ...a]);
});

test('CSV is what is asked for without a format, and carries the same lines', async () => {
  for (const address of [light, busy, big]) {
    const csv = await get({ address });
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    const rows = (await lines({ address })).map((line) =>
      Object.fromEntries(Object.entries(line).map(([name, value]) => [name, asCell(value)])),
    );
    assert.deepEqual(parseTable(csv.text), rows);
  }
  const empty = await get({ address: silent, start: '2026-01-01', end: '2026-03-31' });
  assert.equal(
    empty.headers.get('content-disposition'),
    'attachment; filename="journal-jhhykys9-2026-01-01-2026-03-31.csv"',
  );
  assert.equal(parseCsv(empty.text).length, 1);
  assert.deepEqual(await lines({ address: silent }), []);
});

test('debits and credits balance, and a posted request says the same', async () => {
  const listed = await lines({ address: busy });
  const sum = (side: string) =>
    listed.reduce((cents, line) => cents + BigInt((line[side] || '0').replace('.', '')), 0n);
  assert.equal(sum('debit_usd'), sum('credit_usd'));
  const posted = await server.ask(PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: [busy], format: 'json' }),
  });
  assert.deepEqual(posted.json().lines, listed);
});

test('the price of every line is the day’s point of the price series', async () => {
  const query = new URLSearchParams({ denom: 'uatom', start: '2025-12-28', end: '2026-04-14' });
  const { points } = (await server.ask(`/api/tax/v1/price-series?${query}`)).json<{
    points: { date: string; usd: number; found: boolean }[];
  }>();
  const published = new Map(points.map(({ date, usd, found }) => [date, found ? String(usd) : '']));
  const all = await lines({ address: `${light},${busy},${short}` });
  const atom = all.filter(({ asset }) => asset === 'ATOM');
  for (const { date_utc, price_usd } of atom) {
    assert.equal(price_usd, published.get(date_utc!.slice(0, 10)), date_utc);
  }
  assert.ok(atom.some(({ price_usd }) => price_usd !== ''));
});
