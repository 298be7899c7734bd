/** Form 8949: its rows against the journal, in JSON, CSV and, as pdftotext reads it, PDF. */

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { formatCents, formatDecimal } from '../../../../../pipeline/base/values/amount.js';
import { noDecisions } from '../../../../../pipeline/books/ledger/decisions.js';
import type { Entry } from '../../../../../pipeline/books/ledger/entry.js';
import { refundsOf } from '../../../../../pipeline/books/ledger/refunds.js';
import {
  CSV_COLUMNS,
  type FormRow,
  FormTotals,
  formRows,
  sumSmallRows,
} from '../../../../../pipeline/books/reports/form8949/form-rows.js';
import { USUAL } from '../../../../../pipeline/books/terms.js';
import { loadReference } from '../../../../../pipeline/reference.js';
import type { Coverage, Form8949, PricedEvent } from '../../../../../schemas/types.generated.js';
import { grouped } from '../../../../../server/tax/formats/paper.js';
import {
  type FormHeading,
  formPdf,
  printedRows,
} from '../../../../../server/tax/formats/profiles/form8949/form-pdf.js';
import { makeEvent, receipt, replay, rules } from '../../../../books/ledger/wallets.js';
import { programs } from '../../../../requirements.js';
import { sharedServer, WALLETS } from '../../../harness.js';
import { parseCsv } from '../../../parse-csv.js';

const server = sharedServer();
const NO_REFUNDS = refundsOf([], noDecisions, rules);

const path = (query: Record<string, string>) =>
  `/api/tax/v1/journal?${new URLSearchParams({ address: WALLETS.light, profile: 'form8949', ...query })}`;

async function form(query: Record<string, string> = {}): Promise<Form8949> {
  const { status, text, json } = await server.ask(path({ format: 'json', ...query }));
  assert.equal(status, 200, text);
  return json();
}

const reward = (height: number, day: string, amount: bigint, received_price: bigint) =>
  makeEvent(height, day, 'staking_reward', { received_amount: amount, received_denom: 'uatom', received_price });
const payment = (height: number, day: string, amount: bigint, sent_price: bigint | null) =>
  makeEvent(height, day, 'transfer_out', { sent_amount: amount, sent_denom: 'uatom', sent_price });

test('a slice a row, with its term; unknown basis and missing prices are told apart', () => {
  const { entries } = replay([
    reward(1, '2026-01-05', 10_000_000n, 10_000_000n),
    reward(2, '2027-01-04', 5_000_000n, 8_000_000n),
    payment(3, '2027-01-06', 12_000_000n, 12_000_000n),
    payment(4, '2027-01-07', 1_000_000n, null),
    payment(5, '2027-01-08', 4_000_000n, 9_000_000n),
  ]);
  const rows = entries.filter(({ act }) => act === 'dispose').flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
  assert.deepEqual(
    rows.map((row) =>
      CSV_COLUMNS.slice(0, 11)
        .map(({ of }) => of(row))
        .join(' | '),
    ),
    [
      '10 ATOM | 01/05/2026 | 01/06/2027 | 120.00 | 100.00 |  |  | 20.00 | LONG | L | ',
      '2 ATOM | 01/04/2027 | 01/06/2027 | 24.00 | 16.00 |  |  | 8.00 | SHORT | I | ',
      '1 ATOM | 01/04/2027 | 01/07/2027 |  | 8.00 |  |  |  |  |  | price missing',
      '2 ATOM | 01/04/2027 | 01/08/2027 | 18.00 | 16.00 |  |  | 2.00 | SHORT | I | ',
      '2 ATOM |  | 01/08/2027 | 18.00 |  |  |  |  |  |  | unknown basis',
    ],
  );
  const totals = new FormTotals();
  for (const row of rows) totals.add(row);
  assert.deepEqual(
    totals.lines().map((total) => Object.values(total).join(' ')),
    ['I 2 2 42.00 32.00 10.00', 'L 1 1 120.00 100.00 20.00', 'unknown basis 1 1 18.00  ', 'price missing 1 1  8.00 '],
  );
  assert.deepEqual([totals.rows, totals.sales, totals.fees], [5, 3, 0], 'two sales have slices in two boxes');
});

test('a box without rows has no zero if a sale of unknown gain may belong to it', () => {
  const boxes = (...events: PricedEvent[]) => {
    const { entries } = replay([reward(1, '2026-01-05', 10_000_000n, 10_000_000n), ...events]);
    const totals = new FormTotals();
    for (const row of entries.flatMap((entry) => formRows(entry, NO_REFUNDS, rules))) totals.add(row);
    const [short, long] = totals.lines();
    return [short!.gain_usd, long!.proceeds_usd, long!.cost_basis_usd, long!.gain_usd];
  };
  const sold = payment(2, '2026-02-10', 4_000_000n, 12_000_000n);
  assert.deepEqual(boxes(sold), ['8.00', '0.00', '0.00', '0.00'], 'every sale is known');
  assert.deepEqual(boxes(sold, payment(3, '2026-02-11', 1_000_000n, null)), ['8.00', '', '', ''], 'no price');
  assert.deepEqual(boxes(payment(3, '2026-02-11', 11_000_000n, 12_000_000n)), ['20.00', '', '', ''], 'unknown cost');
  assert.deepEqual(boxes(), ['0.00', '0.00', '0.00', '0.00'], 'no sale');
});

test('the cost of sales without a price is no sum if the cost of any of them is unknown', () => {
  const costOf = (...days: string[]) => {
    const { entries } = replay([
      reward(1, '2026-01-05', 1_000_000n, 10_000_000n),
      ...days.map((day, i) => payment(2 + i, day, 1_000_000n, null)),
    ]);
    const totals = new FormTotals();
    for (const row of entries.flatMap((entry) => formRows(entry, NO_REFUNDS, rules))) totals.add(row);
    return totals.lines().find(({ box }) => box === 'price missing')!.cost_basis_usd;
  };
  assert.deepEqual([costOf('2026-02-10'), costOf('2026-02-10', '2026-02-11'), costOf()], ['10.00', '', '0.00']);
});

test('coins of unknown basis have no date acquired: they came on the day of their lot, which the note names', () => {
  const { entries } = replay([receipt(1), payment(2, '2027-03-15', 21_000_000n, 8_000_000n)]);
  const [came, short] = formRows(entries.find(({ act }) => act === 'dispose')!, NO_REFUNDS, rules);
  const shown = (row: typeof came) => CSV_COLUMNS.slice(0, 11).map(({ of }) => of(row!));
  assert.deepEqual(shown(came), [
    ...['20 ATOM', '', '03/15/2027', '160.00', '', '', '', '', '', ''],
    'unknown basis; lot of 2026-02-10',
  ]);
  assert.deepEqual(shown(short).slice(0, 2).concat(shown(short).at(-1)!), ['1 ATOM', '', 'unknown basis']);
});

test('fees of a day or month are one row for each box, with VARIOUS where days differ', () => {
  const fee = (height: number, day: string, amount: bigint, fee_price: bigint | null = 10_000_000n) =>
    makeEvent(height, day, 'fee', { fee_amount: amount, fee_denom: 'uatom', fee_price });
  const { entries } = replay([
    reward(1, '2026-01-05', 1_000_000n, 10_000_000n),
    reward(2, '2027-01-04', 2_000_000n, 8_000_000n),
    fee(3, '2027-01-05', 300_000n),
    fee(4, '2027-01-05', 200_000n),
    payment(5, '2027-01-06', 100_000n, 10_000_000n),
    fee(6, '2027-01-06', 400_000n),
    fee(7, '2027-01-06', 500_000n),
    fee(8, '2027-01-07', 600_000n, null),
    fee(9, '2027-02-01', 900_000n),
  ]);
  const rows = entries.flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
  const shown = (by: 'daily' | 'monthly') =>
    [...sumSmallRows(rows, by)].map((row) =>
      CSV_COLUMNS.slice(0, 11)
        .map(({ of }) => of(row))
        .join(' | '),
    );
  const note = (slices: number) => `sum of ${slices} ${slices === 1 ? 'slice' : 'slices'} of network fees`;
  assert.deepEqual(shown('daily'), [
    `0.5 ATOM | 01/05/2026 | 01/05/2027 | 5.00 | 5.00 |  |  | 0.00 | SHORT | I | ${note(2)}`,
    '0.1 ATOM | 01/05/2026 | 01/06/2027 | 1.00 | 1.00 |  |  | 0.00 | LONG | L | ',
    `0.4 ATOM | 01/05/2026 | 01/06/2027 | 4.00 | 4.00 |  |  | 0.00 | LONG | L | ${note(1)}`,
    `0.5 ATOM | 01/04/2027 | 01/06/2027 | 5.00 | 4.00 |  |  | 1.00 | SHORT | I | ${note(1)}`,
    `0.6 ATOM | 01/04/2027 | 01/07/2027 |  | 4.80 |  |  |  |  |  | price missing; ${note(1)}`,
    `0.9 ATOM | 01/04/2027 | 02/01/2027 | 9.00 | 7.20 |  |  | 1.80 | SHORT | I | ${note(1)}`,
  ]);
  assert.deepEqual(shown('monthly'), [
    '0.1 ATOM | 01/05/2026 | 01/06/2027 | 1.00 | 1.00 |  |  | 0.00 | LONG | L | ',
    `1 ATOM | VARIOUS | VARIOUS | 10.00 | 9.00 |  |  | 1.00 | SHORT | I | ${note(3)}`,
    `0.4 ATOM | 01/05/2026 | 01/06/2027 | 4.00 | 4.00 |  |  | 0.00 | LONG | L | ${note(1)}`,
    `0.6 ATOM | 01/04/2027 | 01/07/2027 |  | 4.80 |  |  |  |  |  | price missing; ${note(1)}`,
    `0.9 ATOM | 01/04/2027 | 02/01/2027 | 9.00 | 7.20 |  |  | 1.80 | SHORT | I | ${note(1)}`,
  ]);
  const totalsOf = (all: Iterable<FormRow>) => {
    const totals = new FormTotals();
    for (const row of all) totals.add(row);
    return totals.lines().map(({ rows: _, ...sums }) => sums);
  };
  const apart = (all: Iterable<FormRow>) => printedRows(all, new FormTotals()).filter(({ box }) => box.length > 1);
  for (const by of ['daily', 'monthly'] as const) {
    assert.deepEqual(totalsOf(sumSmallRows(rows, by)), totalsOf(rows));
    assert.deepEqual(apart(sumSmallRows(rows, by)), apart(rows));
  }
});

test('slices with proceeds below one cent are a row for each box and month, unless their cost is higher', () => {
  const { entries } = replay([
    ...Array.from({ length: 40 }, (_, i) => reward(1 + i, '2026-01-05', 500n, 20_000_000n)),
    reward(50, '2026-01-06', 1_000_000n, 10_000_000n),
    payment(51, '2026-02-10', 520_000n, 10_000_000n),
    payment(52, '2026-02-11', 400_000n, 10_000n),
  ]);
  const rows = entries.flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
  assert.equal(rows.filter(({ proceeds }) => proceeds === 1n).length, 20, 'cumulative rounding gives cents to some');
  const shown = [...sumSmallRows(rows, 'monthly')].map((row) =>
    [...CSV_COLUMNS.slice(0, 5), CSV_COLUMNS[10]!].map(({ of }) => of(row)).join(' | '),
  );
  assert.deepEqual(shown, [
    '0.5 ATOM | 01/06/2026 | 02/10/2026 | 5.00 | 5.00 | ',
    '0.4 ATOM | 01/06/2026 | 02/11/2026 | 0.00 | 4.00 | ',
    '0.02 ATOM | 01/05/2026 | 02/10/2026 | 0.20 | 0.40 | sum of 40 slices with proceeds below one cent',
  ]);
  const totalsOf = (all: Iterable<FormRow>) => {
    const totals = new FormTotals();
    for (const row of all) totals.add(row);
    return [totals.sales, ...totals.lines().map(({ rows: _, ...sums }) => Object.values(sums).join(' '))];
  };
  assert.deepEqual(totalsOf(sumSmallRows(rows, 'monthly')), totalsOf(rows));
});

test('the PDF folds a sum of fees without a price into its month, though its days are VARIOUS', () => {
  const fee = (height: number, day: string) =>
    makeEvent(height, day, 'fee', { fee_amount: 500_000n, fee_denom: 'uatom', fee_price: null });
  const { entries } = replay([
    reward(1, '2026-01-05', 2_000_000n, 10_000_000n),
    fee(2, '2026-03-01'),
    fee(3, '2026-03-31'),
  ]);
  const rows = entries.flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
  const [fees] = [...sumSmallRows(rows, 'monthly')];
  assert.equal(fees!.sold, 'VARIOUS');
  const printed = (all: Iterable<FormRow>) => printedRows(all, new FormTotals()).map(({ cells }) => cells.slice(0, 3));
  assert.deepEqual(printed([fees!]), [['1 ATOM', '2', '03/2026']]);
  assert.deepEqual(printed(rows), printed([fees!]));
});

test('a sum of fees is asked for with the form', async () => {
  const [each, monthly] = [await form(), await form({ fees: 'monthly' })];
  assert.ok(monthly.count < each.count);
  assert.deepEqual(
    monthly.totals.map(({ rows: _, ...sums }) => sums),
    each.totals.map(({ rows: _, ...sums }) => sums),
  );
  assert.ok(monthly.rows.some(({ entry_id, tx_hash }) => entry_id.startsWith('fees-2026-') && tx_hash === ''));
  assert.deepEqual((await form({ fees: 'each' })).rows, each.rows);
});

test('CSV and JSON say the same', async () => {
  const { rows, count } = await form();
  const [header, ...lines] = parseCsv((await server.ask(path({}))).text);
  assert.equal(
    header!.slice(0, 8).join(','),
    CSV_COLUMNS.slice(0, 8)
      .map(({ name }) => name)
      .join(','),
  );
  assert.equal(count, rows.length);
  assert.ok(count > 0);
  assert.deepEqual(
    lines.map(([description, , , proceeds, basis, , , gain, term, box]) => [
      description,
      proceeds,
      basis,
      gain,
      term,
      box,
    ]),
    rows.map((row) => [row.description, row.proceeds_usd, row.cost_basis_usd, row.gain_usd, row.term, row.box]),
  );
});

test('a PDF is for the form alone, and has a limit', async () => {
  const plain = await server.ask(`/api/tax/v1/journal?address=${WALLETS.light}&format=pdf`);
  assert.match(plain.text, /"path":"format","message":"pdf needs profile=form8949"/);
  const other = await server.ask(path({ profile: 'xero', format: 'pdf' }));
  assert.equal(other.status, 400);
});

test('a PDF is made on a thread of its own, where it holds up nobody', async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on('worker', note);
  const { status } = await fetch(server.base + path({ format: 'pdf' }));
  process.off('worker', note);
  assert.deepEqual([status, threads.length], [200, 1]);
});

type Row = Form8949['rows'][number];

const american = (day: string) => day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1');

function lineOf(row: Row): string {
  const { description, date_acquired, date_sold, proceeds_usd, cost_basis_usd, gain_usd } = row;
  const days = [date_acquired, date_sold].map(american);
  return [description, ...days, ...[proceeds_usd, cost_basis_usd, gain_usd].map(grouped)].filter(Boolean).join(' ');
}

/** The line of a coin and month, from the rows that it stands for. */
function foldOf(rows: readonly Row[]): string {
  const sum = (texts: readonly string[]) =>
    texts.every((text) => text !== '')
      ? [formatCents(texts.reduce((all, text) => all + BigInt(text.replace('.', '')), 0n))]
      : [];
  const quantity = rows.reduce((all, row) => all + BigInt(Math.round(Number(row.quantity) * 1e6)), 0n);
  const [year, month] = rows[0]!.date_sold.split('-');
  const figures = [...sum(rows.map((row) => row.proceeds_usd)), ...sum(rows.map((row) => row.cost_basis_usd))];
  const count = String(new Set(rows.map(({ entry_id }) => entry_id)).size);
  return [`${formatDecimal(quantity, 6)} ${rows[0]!.asset}`, count, `${month}/${year}`, ...figures.map(grouped)].join(
    ' ',
  );
}

/** Requires that the pages are numbered, and that each has more than the lines that all pages have. */
function requireFullPages(text: string): number {
  const pages = text.split('\f').filter((page) => page.trim() !== '');
  for (const [i, page] of pages.entries()) {
    assert.ok(page.includes(`Page ${i + 1} of ${pages.length}`), `page ${i + 1}`);
    assert.ok(page.trim().split(/\n+/).length > 5, `page ${i + 1} is empty`);
  }
  return pages.length;
}

for (const pdftotext of programs('pdftotext')) {
  test('the PDF has every row and the totals of the JSON, and is the same when it is made again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hubledger-form-'));
    try {
      const address = [WALLETS.light, WALLETS.busy, WALLETS.big].join(',');
      const files = [1, 2].map(async () => {
        const answer = await fetch(server.base + path({ address, format: 'pdf' }));
        assert.equal(answer.headers.get('content-type'), 'application/pdf');
        return Buffer.from(await answer.arrayBuffer());
      });
      const [pdf, again] = await Promise.all(files);
      assert.ok(pdf!.equals(again!));
      writeFileSync(join(folder, 'form.pdf'), pdf!);
      // It runs beside this process, whose server would else find connections idle for too long as they are used again.
      const { stdout } = await promisify(execFile)(pdftotext, ['-layout', join(folder, 'form.pdf'), '-']);
      assert.match(stdout, /\(d\) Proceeds +\(e\) Cost or other basis +\(f\) Code/);
      assert.match(
        stdout,
        /Name\(s\) shown on return +_+ +Social security number or taxpayer identification number +_+/,
      );
      const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/).join(' '));
      const { rows, totals } = await form({ address });
      const shown = rows.map((row) => ({ ...row, apart: row.box === '' ? row.note.split(';')[0]! : '' }));
      const single = shown.filter(({ apart }) => apart === '').map(lineOf);
      const apart = new Map<string, Row[]>();
      for (const row of shown.filter(({ apart }) => apart !== '')) {
        const key = `${row.apart} ${row.denom} ${row.date_sold.slice(0, 7)}`;
        apart.set(key, [...(apart.get(key) ?? []), row]);
      }
      const expected = [...single, ...[...apart.values()].map(foldOf)];
      assert.ok(single.length > 0 && apart.size > 0);
      assert.deepEqual(lines.filter((line) => /^[\d,][\d,.]* \S+ (?:\d+ )?\d\d\//.test(line)).sort(), expected.sort());
      for (const { box, rows, sales, proceeds_usd, cost_basis_usd, gain_usd } of totals) {
        const place =
          box === 'I' ? ': enter on Schedule D, line 3' : box === 'L' ? ': enter on Schedule D, line 10' : '';
        const own = shown.filter((row) => (row.box || row.apart) === box);
        const cost = own.every((row) => row.cost_basis_usd !== '') ? cost_basis_usd : '';
        const figures = [proceeds_usd, cost, gain_usd].filter((cell) => cell !== '').map(grouped);
        const counted = [`${grouped(String(sales))} sale`, `${grouped(String(rows))} line`];
        const [ofSales, inLines] = counted.map((text) => (text.startsWith('1 ') ? text : `${text}s`));
        const words = [`Totals of ${ofSales} in ${inLines}${place}`, ...figures].join(' ');
        assert.equal(lines.includes(words), rows > 0, `${box}: ${words}`);
      }
      requireFullPages(stdout);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const heading = (addresses: readonly string[]): FormHeading => ({
    ...{ addresses, days: ['2026-01-01', '2026-12-31'], methodologyVersion: '1.1.0', terms: USUAL },
    coverage: {
      covered_from: '2026-01-01T00:00:00Z',
      covered_to: '2026-04-15T08:40:18Z',
      range_complete: false,
    } as Coverage,
    incomplete: [],
    usReturn: loadReference().usReturn,
    fees: 'each',
  });
  const print = async (entries: readonly Entry[], addresses: readonly string[]) => {
    const totals = new FormTotals();
    const disposals = entries
      .filter(({ act }) => act === 'dispose')
      .flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
    const rows = printedRows(disposals, totals);
    const pdf = await formPdf({ heading: heading(addresses), rows, totals, made: new Date(0) });
    return execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  };

  test('the PDF shortens the name of a token that no registry knows, and lists every wallet of fifty', async () => {
    const denom = `factory/cosmos1${'q'.repeat(38)}/FREE-COINS-AT-EVIL-EXAMPLE`;
    const { entries } = replay([
      makeEvent(1, '2026-01-05', 'airdrop', { received_amount: 10n ** 12n, received_denom: denom, received_price: 1n }),
      ...Array.from({ length: 90 }, (_, i) =>
        makeEvent(2 + i, '2026-02-05', 'transfer_out', {
          ...{ sent_amount: 10n ** 9n + BigInt(i), sent_denom: denom, sent_price: 1n },
        }),
      ),
      makeEvent(99, '2026-03-05', 'transfer_out', { sent_amount: 5n, sent_denom: denom, sent_price: null }),
    ]);
    const addresses = Array.from({ length: 50 }, (_, i) => `cosmos1${String(i).padStart(38, 'z')}`);
    const text = await print(entries, addresses);
    for (let i = 0n; i < 90n; i++) assert.ok(text.includes(`${10n ** 9n + i} factory…MPLE`), `row ${i}`);
    assert.match(text, /5 factory…MPLE +1 +03\/2026/);
    for (const part of ['FREE', 'EVIL', 'qqqqqq']) assert.ok(!text.includes(part), part);
    for (const address of addresses) assert.ok(text.includes(address));
    assert.match(text, /Wallets: 50 wallets\. They are listed on the last page\./);
    assert.match(text, /only Jan 1, 2026 to Apr 15, 2026\. Sales on other days are missing here\./);
    assert.ok(requireFullPages(text) > 2);
  });

  test('a year of 276 fees and 13 other sales fits on two pages, with fees by month', async () => {
    const month = (i: number) => `2026-${String(1 + (i % 12)).padStart(2, '0')}`;
    const sales = Array.from({ length: 13 }, (_, i) => payment(1000 + i, `${month(i)}-20`, 1_000_000n, 9_000_000n));
    const fees = Array.from({ length: 276 }, (_, i) =>
      makeEvent(100 + i, `${month(i)}-10`, 'fee', {
        ...{ fee_amount: 5_000n, fee_denom: 'uatom', fee_price: 3_000_000n },
      }),
    );
    const old = reward(1, '2024-06-05', 6_000_000n, 8_000_000n);
    const events = [...sales, ...fees].sort((one, other) => (one.time < other.time ? -1 : 1));
    const { entries } = replay([old, reward(2, '2025-12-05', 20_000_000n, 5_000_000n), ...events]);
    const disposals = entries.flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
    const pagesOf = async (rows: Iterable<FormRow>, fees: 'each' | 'monthly') => {
      const totals = new FormTotals();
      const printed = printedRows(rows, totals);
      const made = new Date(0);
      const pdf = await formPdf({ heading: { ...heading([WALLETS.light]), fees }, rows: printed, totals, made });
      return execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
    };
    const each = await pagesOf(disposals, 'each');
    const monthly = await pagesOf(sumSmallRows(disposals, 'monthly'), 'monthly');
    assert.deepEqual([requireFullPages(each), requireFullPages(monthly)], [9, 2]);
    assert.match(
      monthly.replace(/\s+/g, ' '),
      /289 sales, of which 276 are network fees, in \d\d lines\..* are summed by coin and month\./,
    );
    assert.doesNotMatch(each, /summed by/);
  });

  test('the PDF has no empty part: without sales it is one page that says so', async () => {
    const text = await print([], [WALLETS.silent]);
    assert.match(text, /There are no sales or payments in this period\./);
    assert.equal(text.split('\f').filter(Boolean).length, 1);
    assert.doesNotMatch(text, /Part I|Apart|\(d\) Proceeds/);
    const { entries } = replay([reward(1, '2026-01-05', 10_000_000n, 10_000_000n), payment(2, '2026-01-06', 1n, 1n)]);
    assert.doesNotMatch(await print(entries, [WALLETS.light]), /Part II|Apart/);
  });
}
