/** Form 8949: its rows against the journal, in JSON, CSV and, as pdftotext reads it, PDF. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { noDecisions } from '../../../../../pipeline/ledger/decisions.js';
import { refundsOf } from '../../../../../pipeline/ledger/refunds.js';
import { CSV_COLUMNS, FORM_COLUMNS, FormTotals, formRows } from '../../../../../pipeline/reports/form8949/form-rows.js';
import type { Form8949 } from '../../../../../schemas/types.generated.js';
import { formPdf } from '../../../../../server/tax/formats/profiles/form8949/form-pdf.js';
import { makeEvent, receipt, replay, rules } from '../../../../ledger/wallets.js';
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
    ['I 2 42.00 32.00 10.00', 'L 1 120.00 100.00 20.00', 'unknown basis 1 18.00  ', 'price missing 1  8.00 '],
  );
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

for (const pdftotext of programs('pdftotext')) {
  test('the PDF has every row and the totals of the JSON, and is the same when it is made again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hubledger-form-'));
    try {
      const files = [1, 2].map(async () => {
        const answer = await fetch(server.base + path({ format: 'pdf' }));
        assert.equal(answer.headers.get('content-type'), 'application/pdf');
        return Buffer.from(await answer.arrayBuffer());
      });
      const [pdf, again] = await Promise.all(files);
      assert.ok(pdf!.equals(again!));
      writeFileSync(join(folder, 'form.pdf'), pdf!);
      // It runs beside this process, whose server would else find connections idle for too long as they are used again.
      const { stdout } = await promisify(execFile)(pdftotext, ['-layout', join(folder, 'form.pdf'), '-']);
      assert.match(stdout, /\(d\) Proceeds +\(e\) Cost or other basis +\(f\) Code/);
      const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/).join(' '));
      const { rows, totals } = await form();
      const american = (day: string) => day.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1');
      const expected = rows.map((row) =>
        [
          row.description,
          american(row.date_acquired),
          american(row.date_sold),
          row.proceeds_usd,
          row.cost_basis_usd,
          row.gain_usd,
        ]
          .filter((cell) => cell !== '')
          .join(' '),
      );
      assert.deepEqual(lines.filter((line) => /^\d[\d.]* \S+ \d\d\//.test(line)).sort(), expected.sort());
      for (const { box, rows, proceeds_usd, cost_basis_usd, gain_usd } of totals) {
        if (rows === 0 && box.length > 1) continue;
        const words = [`Totals of ${rows} rows`, proceeds_usd, cost_basis_usd, gain_usd];
        assert.ok(lines.includes(words.filter((cell) => cell !== '').join(' ')), box);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('the PDF leaves out no character of a long name, and no wallet of fifty', async () => {
    const denom = `factory/cosmos1${'q'.repeat(38)}/A-NAME-OF-FORTY-FOUR-WIDE-CHARACTERS-MWMWMWM`;
    const { entries } = replay([
      makeEvent(1, '2026-01-05', 'airdrop', { received_amount: 10n ** 30n, received_denom: denom }),
      ...Array.from({ length: 60 }, (_, i) =>
        makeEvent(2 + i, '2026-02-05', 'transfer_out', { sent_amount: 10n ** 27n + BigInt(i), sent_denom: denom }),
      ),
    ]);
    const rows = entries.filter(({ act }) => act === 'dispose').flatMap((entry) => formRows(entry, NO_REFUNDS, rules));
    const totals = new FormTotals();
    for (const row of rows) totals.add(row);
    const addresses = Array.from({ length: 50 }, (_, i) => `cosmos1${String(i).padStart(38, 'z')}`);
    const pdf = await formPdf({
      heading: { addresses, days: ['2026-01-01', '2026-12-31'] },
      rows: rows.map((row) => ({ box: row.box, cells: FORM_COLUMNS.map(({ of }) => of(row)) })),
      totals: totals.lines(),
      made: new Date(0),
    });
    const text = execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
    const joined = text.replace(/ \d\d\/\d\d\/\d{4}.*/g, '').replace(/\s*\n\s*/g, '');
    for (const [i] of rows.entries()) assert.ok(joined.includes(`${10n ** 27n + BigInt(i)} ${denom}`), `row ${i}`);
    for (const address of addresses) assert.ok(text.includes(address));
    assert.match(text, /Form 8949 rows of 50 wallets, 2026-01-01 to 2026-12-31/);
  });
}
