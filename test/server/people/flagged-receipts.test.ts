/** The worked cases with flagged receipts, asked of the real server: refusals, decisions, and what they change. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { AS_OF, type Case, cases, type Expectation, eventsOf } from '../../books/ledger/worked-cases.js';
import { startServer, type TestServer, WALLETS } from '../harness.js';
import { flaggedReceipt } from '../published.js';

const ADDRESS = WALLETS.silent;

/** The case's prices as micro-USD by day. */
const pricesOf = ({ prices }: Case) =>
  Object.entries(prices).flatMap(([day, usd]): [string, string][] => (usd === null ? [] : [[day, `${usd}000000`]]));

async function serve(context: TestContext, one: Case): Promise<{ server: TestServer; events: PricedEvent[] }> {
  const happenings = one.wallets!.A!;
  const events = eventsOf(ADDRESS, happenings, one.prices);
  const flagged = events.filter((_, i) => happenings[i]!.flagged).map((event) => flaggedReceipt(event));
  const content = { wallets: { [ADDRESS]: events }, flagged, prices: { uatom: pricesOf(one) } };
  const server = await startServer({ content, environment: { HUBLEDGER_NOW: `${AS_OF}T12:00:00Z` } });
  context.after(() => server.close());
  return { server, events };
}

function ask(server: TestServer, name: string, { query }: Expectation) {
  const { date, asset_decisions } = query!;
  const parameters = new URLSearchParams({ address: ADDRESS });
  if (name === 'journal') parameters.set('format', 'json');
  if (name === 'positions') parameters.set('date', date ?? AS_OF);
  else if (date) parameters.set('end', date);
  if (asset_decisions) parameters.set('asset_decisions', JSON.stringify(asset_decisions));
  return server.ask(`/api/tax/v1/${name}?${parameters}`);
}

async function checkFigures(server: TestServer, expected: Expectation): Promise<void> {
  const { positions } = (await ask(server, 'positions', expected)).json();
  const { summary, events } = (await ask(server, 'events', expected)).json();
  if (expected.positions) {
    assert.equal(String(positions.length), expected.positions.count);
    const [row] = expected.positions.rows ?? [];
    const said = { ...positions[0], lots: String(positions[0].lots) };
    for (const [name, stated] of Object.entries(row ?? {})) assert.equal(said[name], stated, name);
  }
  if (expected.income_usd) assert.equal(summary.incomeUsd, Number(expected.income_usd));
  if (expected.events_row) {
    const { record_id, valueUsd, taxable } = expected.events_row;
    const row = events.find(({ id }: { id: string }) => id === record_id);
    assert.deepEqual([row.valueUsd, row.taxable], [Number(valueUsd), taxable]);
  }
  if (expected.journal) {
    const { lines } = (await ask(server, 'journal', expected)).json();
    assert.equal(lines.length, 2 * expected.journal.length);
    assert.deepEqual(
      lines.filter((_: unknown, i: number) => i % 2 === 0).map((line: Record<string, string>) => line.debit_usd),
      expected.journal.map(([, , , amount]) => amount),
    );
  }
}

for (const one of cases.filter(({ wallets }) => wallets?.A?.some(({ flagged }) => flagged))) {
  test(`case ${one.id}: ${one.title}`, async (context) => {
    const { server } = await serve(context, one);
    for (const expected of one.expect) {
      if (expected.status === '409') {
        const refused = await ask(server, expected.query!.endpoint!, expected);
        assert.deepEqual([refused.status, String(refused.json().pending)], [409, expected.pending]);
      } else await checkFigures(server, expected);
    }
  });
}

test('a decision changes its row and what descends from its lot, nothing else', async (context) => {
  const one = cases.find(({ id }) => id === '11')!;
  const { server, events } = await serve(context, one);
  const decided = async (name: string, decision: object) => {
    const query = { address: 'A', asset_decisions: { r2: decision } };
    return (await ask(server, name, { query })).json();
  };
  const override = one.expect[0]!.query!.asset_decisions!.r2!;
  const [excluded, overridden] = [await decided('events', { mode: 'exclude' }), await decided('events', override)] as {
    events: Record<string, unknown>[];
  }[];
  assert.equal(excluded!.events.length, events.length);
  excluded!.events.forEach((row, i) => {
    if (row.id === 'r2') assert.deepEqual([row.valueUsd, row.taxable, row.receivedAmount], [0, false, '20']);
    else assert.deepEqual(row, overridden!.events[i]);
  });
  // The excluded coins are a lot of zero basis after the claim's: 6 of the 15 come from the claim, 9 cost nothing.
  const lines = async (decision: object) => {
    const { lines: all } = (await decided('journal', decision)) as { lines: Record<string, string>[] };
    return all.map((line) => [line.date_utc!.slice(0, 10), line.account, line.debit_usd || `-${line.credit_usd}`]);
  };
  const [without, withBasis] = [await lines({ mode: 'exclude' }), await lines(override)];
  const before = (all: (string | undefined)[][]) => all.filter(([day]) => day! < '2026-02-10');
  assert.deepEqual(before(without), before(withBasis));
  assert.deepEqual(without.slice(-6), [
    ['2026-02-10', 'Digital Assets: ATOM', '0.00'],
    ['2026-02-10', 'Transfers In: Unclassified', '-0.00'],
    ['2026-05-20', 'Transfers Out: Unclassified', '60.00'],
    ['2026-05-20', 'Digital Assets: ATOM', '-60.00'],
    ['2026-05-20', 'Transfers Out: Unclassified', '165.00'],
    ['2026-05-20', 'Realized Gain/Loss', '-165.00'],
  ]);
});
