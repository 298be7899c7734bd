/** Coins that went to own places: their lots, and what of them came home, over HTTP and on made wallets. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { USUAL } from '../../../pipeline/books/terms.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { Coverage, JournalLine, PricedEvent, TransferredBasis } from '../../../schemas/types.generated.js';
import { grouped, printedDay } from '../../../server/tax/formats/paper.js';
import {
  PDF_LOTS_MAX,
  type TransferredContent,
  transferredPdf,
} from '../../../server/tax/formats/transferred-basis-pdf.js';
import { makeEvent } from '../../books/ledger/wallets.js';
import { programs } from '../../requirements.js';
import { requireFaults, sharedServer, WALLETS } from '../harness.js';
import { parseTable } from '../parse-csv.js';
import { posting, signedIn } from '../people/accounts/signed-in.js';
import { recordedContent } from '../published.js';

const { light, short, big } = WALLETS;
const OSMO = 'osmo1x6zdvy3wp6mndttyxemnvff73q9ehretl7qkzy';
const EXCHANGE = 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu';

let height = 0;
const row = (address: string, day: string, category: string, more: Partial<PricedEvent>) => {
  height++;
  return makeEvent(height, day, category, { address, id: `${height}-0-${address.slice(-12)}`, ...more });
};
const out = (amount: bigint, more: Partial<PricedEvent> = {}) => ({
  ...{ sent_amount: amount, sent_denom: 'uatom', sent_price: 5_000_000n },
  ...more,
});
const into = (amount: bigint, more: Partial<PricedEvent> = {}) => ({
  ...{ received_amount: amount, received_denom: 'uatom', received_price: 2_000_000n },
  ...more,
});

const EARNED = row(light, '2026-01-05', 'staking_reward', into(70_000_000n));
const LATER = row(light, '2026-02-10', 'staking_reward', into(50_000_000n, { received_price: 3_000_000n }));
const ELSEWHERE = row(short, '2026-02-11', 'staking_reward', into(5_000_000n));
const SENT = row(light, '2026-03-01', 'transfer_out', out(60_000_000n, { counterparty: EXCHANGE }));
const LEFT = row(
  light,
  '2026-03-02',
  'ibc_out',
  out(40_000_000n, { counterparty: OSMO, to_own_key: true, link: 'p1' }),
);
const LOST = row(light, '2026-03-03', 'ibc_out', out(9_000_000n, { counterparty: OSMO, to_own_key: true, link: 'p2' }));
const REFUND = row(light, '2026-03-03', 'ibc_refund', into(9_000_000n, { link: 'p2' }));
const HOME = row(light, '2026-03-20', 'transfer_in', into(60_000_000n, { counterparty: EXCHANGE }));
const AGAIN = row(light, '2026-03-21', 'ibc_in', into(50_000_000n, { counterparty: OSMO }));
const OTHERS = row(short, '2026-03-22', 'transfer_in', into(3_000_000n, { counterparty: EXCHANGE }));
const SOLD = row(light, '2026-04-01', 'transfer_out', out(120_000_000n, { counterparty: 'cosmos1buyer' }));
/** One send more than a PDF prints. */
const MANY = Array.from({ length: PDF_LOTS_MAX + 1 }, () =>
  row(big, '2026-04-02', 'ibc_out', out(1n, { counterparty: OSMO, to_own_key: true })),
);

const server = sharedServer(() => ({
  content: {
    ...recordedContent(),
    flagged: [],
    wallets: {
      [light]: [EARNED, LATER, SENT, LEFT, LOST, REFUND, HOME, AGAIN, SOLD],
      [short]: [ELSEWHERE, OTHERS],
      [big]: MANY,
    },
    opening: {},
  },
}));

const TAGS = { [SENT.id]: 'own_transfer' };
const RETURNS = { [`*:${EXCHANGE}`]: { mode: 'return' }, [AGAIN.id]: { mode: 'return' } };

type Query = Readonly<Record<string, unknown>>;
const urlOf = (name: string, query: Query) => {
  const texts = Object.entries({ address: light, format: 'json', ...query }).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `/api/tax/v1/${name}?${new URLSearchParams(Object.fromEntries(texts))}`;
};
const ask = (name: string, query: Query, headers = {}) => server.ask(urlOf(name, query), { headers });
async function read<Answer>(name: string, query: Query): Promise<Answer> {
  const answer = await ask(name, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.json() as Answer;
}
const brief = ({ lines }: TransferredBasis) =>
  lines.map((line) => [line.row, line.quantity, line.acquired, line.cost_basis_usd, line.returned]);
const linesOf = async (query: Query) => (await read<{ lines: JournalLine[] }>('journal', query)).lines;
const booked = async (query: Query) =>
  (await linesOf(query))
    .filter(({ account }) => account === 'Equity: Own-Wallet Transfers')
    .map(({ date_utc, debit_usd, credit_usd, quantity }) => [date_utc.slice(0, 10), debit_usd, credit_usd, quantity]);

test('the lots of each send, without refunded sends; what comes home is in the line and in the journal', async () => {
  const away = { tags: TAGS };
  assert.deepEqual(brief(await read('transferred-basis', away)), [
    [SENT.id, '60', '2026-01-05', '120.00', '0'],
    [LEFT.id, '10', '2026-01-05', '20.00', '0'],
    [LEFT.id, '30', '2026-02-10', '90.00', '0'],
  ]);
  const home = { tags: TAGS, asset_decisions: RETURNS };
  const found = await read<TransferredBasis>('transferred-basis', home);
  assert.deepEqual(brief(found), [
    [SENT.id, '60', '2026-01-05', '120.00', '60'],
    [LEFT.id, '10', '2026-01-05', '20.00', '10'],
    [LEFT.id, '30', '2026-02-10', '90.00', '30'],
  ]);
  const [line] = found.lines;
  assert.deepEqual(
    [line!.address, line!.date, line!.tx_hash, line!.receiver, line!.symbol, line!.denom],
    [light, '2026-03-01', SENT.tx_hash, EXCHANGE, 'ATOM', 'uatom'],
  );
  assert.deepEqual(await booked(home), [
    ['2026-03-01', '120.00', '', '60'],
    ['2026-03-02', '110.00', '', '40'],
    ['2026-03-03', '27.00', '', '9'],
    ['2026-03-03', '', '27.00', '9'],
    ['2026-03-20', '', '120.00', '60'],
    ['2026-03-21', '', '110.00', '40'],
  ]);
  // The last sale takes 120 coins of known cost, and none of the 10 that were never sent.
  const gain = (await linesOf(home)).filter(({ account }) => account === 'Realized Gain/Loss');
  assert.deepEqual(
    gain.map(({ credit_usd }) => credit_usd),
    ['310.00'],
  );
  assert.equal(
    (await linesOf(home)).some(({ account }) => account === 'Equity: Unknown Basis'),
    false,
  );
});

test('a year, a zone and a file: the same lines', async () => {
  const home = { tags: TAGS, asset_decisions: RETURNS };
  assert.deepEqual(
    await read('transferred-basis', { ...home, year: '2025' }).then((one) => brief(one as TransferredBasis)),
    [],
  );
  const all = await read<TransferredBasis>('transferred-basis', { ...home, year: '2026' });
  assert.equal(all.lines.length, 3);
  const file = await ask('transferred-basis', { ...home, format: 'csv' });
  assert.match(file.headers.get('content-disposition')!, /transferred-basis/);
  assert.deepEqual(
    parseTable(file.text).map((one) => ({ ...one })),
    all.lines.map((line) => Object.fromEntries(Object.entries(line).map(([key, value]) => [key, value ?? '']))),
  );
  const posted = await server.ask(
    '/api/tax/v1/transferred-basis',
    posting({ address: light, userTags: TAGS, assetDecisions: RETURNS }),
  );
  assert.deepEqual(posted.json().lines, all.lines);
  const late = await read<TransferredBasis>('transferred-basis', { ...home, timezone: 'Pacific/Kiritimati' });
  assert.equal(late.lines[0]!.date, '2026-03-02');
});

test('with carried lots the wallets have one account: what one sent may come home to the other', async () => {
  const address = `${light},${short}`;
  const query = { address, tags: TAGS, asset_decisions: { [OTHERS.id]: { mode: 'return' } } };
  const alone = await read<TransferredBasis>('transferred-basis', query);
  assert.deepEqual(brief(alone)[0], [SENT.id, '60', '2026-01-05', '120.00', '0']);
  const carried = await read<TransferredBasis>('transferred-basis', { ...query, own_wallets: 'carry' });
  assert.deepEqual(brief(carried)[0], [SENT.id, '60', '2026-01-05', '120.00', '3']);
  const positions = await read<{ positions: Record<string, string>[] }>('positions', {
    ...{ ...query, address, own_wallets: 'carry', date: '2026-03-31' },
  });
  const of = positions.positions.find((one) => one.address === short)!;
  assert.deepEqual([of.quantity, of.cost_basis_usd, of.basis_unknown_quantity], ['8', '16.00', '0']);
  assert.deepEqual((await booked({ ...query, address, own_wallets: 'carry' })).at(-1), ['2026-03-22', '', '6.00', '3']);
});

test('a return names receipts that may come home; others, and a value on the same row, are refused', async () => {
  const decide = (decisions: object, tags: object = TAGS) => ask('journal', { tags, asset_decisions: decisions });
  requireFaults(await decide({ [EARNED.id]: { mode: 'return' } }), 400, [`asset_decisions/${EARNED.id}/mode`]);
  requireFaults(await decide({ [SENT.id]: { mode: 'return' } }), 400, [`asset_decisions/${SENT.id}/mode`]);
  requireFaults(await decide({ '*': { mode: 'return' } }), 400, ['asset_decisions/*']);
  requireFaults(await decide({ [HOME.id]: { mode: 'return', value_usd: '1' } }), 400, [
    `asset_decisions/${HOME.id}/value_usd`,
  ]);
  const valued = { ...TAGS, [HOME.id]: { tag: 'gift', value_usd: '1' } };
  requireFaults(await decide({ [HOME.id]: { mode: 'return' } }, valued), 400, [`tags/${HOME.id}/value_usd`]);
  requireFaults(await decide({ [`*:${EXCHANGE}`]: { mode: 'return' } }, valued), 400, [`tags/${HOME.id}/value_usd`]);
  // A tag on the same row is overruled, and a decision of its own comes before the decision about its sender.
  const plain = await linesOf({ tags: TAGS, asset_decisions: RETURNS });
  assert.deepEqual(await linesOf({ tags: { ...TAGS, [HOME.id]: 'income' }, asset_decisions: RETURNS }), plain);
  const own = await booked({
    tags: TAGS,
    asset_decisions: { ...RETURNS, [HOME.id]: { mode: 'override', cost_basis_usd: '1' } },
  });
  assert.deepEqual(own.at(-1), ['2026-03-21', '', '100.00', '50']);
});

test('events and files say that the coins are no income and no purchase', async () => {
  const query = { tags: TAGS, asset_decisions: RETURNS };
  const { events } = await read<{ events: Record<string, unknown>[] }>('events', query);
  const home = events.find(({ id }) => id === HOME.id)!;
  assert.deepEqual([home.taxable, home.userTag, home.valueUsd], [false, '', 120]);
  assert.match(String(home.description), /By your decision these are coins that had been sent to an own place\.$/);
  const { events: before } = await read<{ events: Record<string, unknown>[] }>('events', { tags: TAGS });
  assert.deepEqual(
    events.filter(({ id }) => id !== HOME.id && id !== AGAIN.id),
    before.filter(({ id }) => id !== HOME.id && id !== AGAIN.id),
  );
});

test('saved returns count, and stay as they were saved', async () => {
  const alice = await signedIn(server);
  const decisions = { [AGAIN.id]: { mode: 'return' }, [`*:${EXCHANGE}`]: { mode: 'return' } };
  const saved = await server.ask('/api/tax/v1/saved-decisions', posting({ address: light, decisions }, alice));
  assert.deepEqual([saved.status, saved.json().decisions], [200, decisions], saved.text);
  const journal = (await ask('journal', { tags: TAGS }, alice)).json();
  assert.deepEqual(journal.lines, await linesOf({ tags: TAGS, asset_decisions: RETURNS }));
  const wrong = { [EARNED.id]: { mode: 'return' } };
  const refused = await server.ask('/api/tax/v1/saved-decisions', posting({ address: light, decisions: wrong }, alice));
  requireFaults(refused, 422, [`decisions/${EARNED.id}/mode`], wrong);
});

for (const pdftotext of programs('pdftotext')) {
  const textOf = (pdf: Uint8Array) => execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  const linesOfText = (text: string) => text.split('\n').map((line) => line.trim().split(/\s+/).join(' '));

  test('the pages for print have each lot of the JSON, and sums by coin and receiver', async () => {
    const query = { tags: TAGS, asset_decisions: RETURNS, year: '2026' };
    const answer = await fetch(`${server.base}${urlOf('transferred-basis', { ...query, format: 'pdf' })}`);
    assert.equal(answer.headers.get('content-type'), 'application/pdf');
    assert.match(answer.headers.get('content-disposition')!, /transferred-basis-\w+-2026-01-01-2026-12-31\.pdf/);
    const text = textOf(Buffer.from(await answer.arrayBuffer()));
    const lines = linesOfText(text);
    const { lines: lots } = await read<TransferredBasis>('transferred-basis', query);
    for (const { quantity, acquired, cost_basis_usd, returned } of lots) {
      const end = `${quantity} ATOM ${printedDay(acquired!)} ${grouped(cost_basis_usd!)} ${returned}`;
      assert.ok(
        lines.some((line) => line.endsWith(end)),
        `${end}\n${text}`,
      );
    }
    assert.ok(lines.some((line) => line.startsWith('Cost of coins that you moved to 2 own places')));
    assert.ok(lines.includes(`ATOM ${EXCHANGE} 1 60 120.00 none 60`), text);
    assert.ok(lines.includes(`ATOM ${OSMO} 1 40 110.00 none 40`), text);
    assert.ok(text.includes(SENT.tx_hash.slice(0, 20)) && text.includes(light));
    const empty = await fetch(
      `${server.base}${urlOf('transferred-basis', { format: 'pdf', address: short, year: '2026' })}`,
    );
    assert.match(textOf(Buffer.from(await empty.arrayBuffer())), /No sends to own places\./);
  });

  test('no answer and no paper says that wallets keep their own lots if transfers carry them', async () => {
    const query = { address: `${light},${short}`, year: '2026' };
    const papers: [string, Query][] = [
      ['summary', {}],
      ['positions', { date: '2026-03-31', year: '' }],
      ['summary', { format: 'pdf' }],
      ['journal', { format: 'pdf', profile: 'form8949' }],
      ['transferred-basis', { format: 'pdf' }],
    ];
    for (const [name, more] of papers) {
      const textWith = async (own_wallets: string) => {
        const answer = await fetch(`${server.base}${urlOf(name, { ...query, ...more, own_wallets })}`);
        const bytes = Buffer.from(await answer.arrayBuffer());
        assert.equal(answer.status, 200, String(bytes));
        const text = more.format === 'pdf' ? textOf(bytes) : bytes.toString();
        return text.replace(/\s+/g, ' ');
      };
      const [own, moved] = [
        /Every wallet keeps its own lots/,
        /Transfers between these wallets carry their lots along/,
      ];
      const [separate, carried] = [await textWith('separate'), await textWith('carry')];
      assert.ok(own.test(separate) && !moved.test(separate), `${name} ${more.format}`);
      assert.ok(!own.test(carried) && moved.test(carried), `${name} ${more.format}`);
    }
  });

  test('more lots than a PDF prints are refused, and CSV has them', async () => {
    const query = { address: big, year: '2026' };
    const refused = await ask('transferred-basis', { ...query, format: 'pdf' });
    requireFaults(refused, 400, ['format'], query);
    assert.match(refused.text, /a PDF has at most 4000 lots, and these are 4001: ask for fewer days, or for CSV/);
    const { lines } = await read<TransferredBasis>('transferred-basis', query);
    assert.equal(lines.length, PDF_LOTS_MAX + 1);
  });

  const made = (count: number, more: object = {}): TransferredContent => ({
    addresses: Array.from({ length: 50 }, (_, i) => `cosmos1${String(i).padStart(58, 'q')}`),
    days: ['2026-01-01', '2026-12-31'],
    lines: Array.from({ length: count }, (_, i) => ({
      ...{ address: `cosmos1${String(i % 50).padStart(58, 'q')}`, row: `row ${i}`, date: '2026-03-01' },
      ...{ tx_hash: 'A'.repeat(64), receiver: `cosmos1${'z'.repeat(58)}`, symbol: 'ATOM', denom: 'uatom' },
      ...{ quantity: '12345.678901', acquired: null, cost_basis_usd: null, returned: '0', ...more },
    })),
    coverage: {
      ...{ complete: true, range_complete: false, generation: 'h1-000000000000' },
      ...{ covered_from: '2026-02-01T00:00:00Z', covered_to: '2026-12-31T00:00:00Z' },
    } as Coverage,
    ...{ incomplete: [], methodologyVersion: '3.1.0', terms: USUAL, rules: loadReference().rules, made: new Date(0) },
  });

  test('unknown costs are words, and long lists take as many pages as they need', async () => {
    const text = textOf(await transferredPdf(made(200)));
    const lines = linesOfText(text);
    const title = `Cost of coins that you moved to cosmos1${'z'.repeat(58)}`;
    assert.equal(lines[0], title);
    assert.match(text, /Not every day is recorded: only Feb 1, 2026 to Dec 31, 2026\./);
    assert.ok(lines.includes(`ATOM cosmos1${'z'.repeat(58)} 200 2,469,135.7802 not known 200 of 200 0`), text);
    assert.equal(lines.filter((line) => line.endsWith('12,345.678901 ATOM not known not known 0')).length, 200);
    assert.doesNotMatch(text, /0\.00|null|undefined/);
    const pages = text.split('\f').slice(0, -1);
    assert.ok(pages.length > 10);
    for (const [i, page] of pages.entries())
      assert.match(page.trimEnd(), new RegExp(`not tax advice +Page ${i + 1} of ${pages.length}$`));
    const part = made(2);
    const some = linesOfText(
      textOf(await transferredPdf({ ...part, lines: [part.lines[0]!, { ...part.lines[1]!, cost_basis_usd: '5.00' }] })),
    );
    assert.ok(some.some((line) => line.endsWith(' 2 24,691.357802 5.00 1 of 2 0')));
  });
}
