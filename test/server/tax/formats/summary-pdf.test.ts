/** The printed summary: the figures of the JSON, and one page also for the most crowded year. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { SheetLines } from '../../../../pipeline/books/reports/summary/sheet.js';
import { USUAL } from '../../../../pipeline/books/terms.js';
import { loadReference } from '../../../../pipeline/reference.js';
import type { Coverage, Summary } from '../../../../schemas/types.generated.js';
import { grouped, printedDay, printedName } from '../../../../server/tax/formats/paper.js';
import { type SummaryContent, summaryPdf } from '../../../../server/tax/formats/summary-pdf.js';
import { programs } from '../../../requirements.js';
import { sharedServer, WALLETS } from '../../harness.js';

const server = sharedServer();

test('amounts, days and names as they are printed', () => {
  assert.deepEqual(['0', '999.5', '1000', '1234567.891234', '-1234.00', ''].map(grouped), [
    '0',
    '999.5',
    '1,000',
    '1,234,567.891234',
    '-1,234.00',
    '',
  ]);
  assert.deepEqual(['2026-03-01', '2026-12'].map(printedDay), ['Mar 1, 2026', 'Dec 2026']);
  const names = ['ATOM', 'twelve-chars', 'ibc/ABCDEFGHIJ', `factory/cosmos1${'q'.repeat(38)}/SCAM`].map(printedName);
  assert.deepEqual(names, ['ATOM', 'twelve-chars', 'ibc/ABC…GHIJ', 'factory…SCAM']);
});

for (const pdftotext of programs('pdftotext')) {
  const textOf = (pdf: Uint8Array) => execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
  const linesOf = (text: string) => text.split('\n').map((line) => line.trim().split(/\s+/).join(' '));

  test('has the figures of the JSON, with income by month as /events adds it up, and the same bytes again', async () => {
    const address = [WALLETS.light, WALLETS.busy, WALLETS.big].join(',');
    const query = new URLSearchParams({ address, start: '2026-01-01', end: '2026-12-31' });
    const [pdf, again] = await Promise.all(
      [1, 2].map(async () => {
        const answer = await fetch(`${server.base}/api/tax/v1/summary?${query}&format=pdf`);
        assert.equal(answer.headers.get('content-type'), 'application/pdf');
        assert.match(answer.headers.get('content-disposition')!, /summary-\w+-and-2-more-2026-01-01-2026-12-31\.pdf/);
        return Buffer.from(await answer.arrayBuffer());
      }),
    );
    assert.ok(pdf!.equals(again!));
    const text = textOf(pdf!);
    const lines = linesOf(text);
    const { total, coverage }: Summary = (await server.ask(`/api/tax/v1/summary?${query}`)).json();
    assert.ok(lines.includes('Year summary 2026 Tax records of the Cosmos Hub'));
    assert.ok(text.includes(`$${grouped(total.income_usd)}`) && text.includes(`$${grouped(total.fees_usd)}`));
    assert.match(text, new RegExp(`Proceeds of all [\\d,]+ sales +\\$${grouped(total.disposed.proceeds_usd)}`));
    const atom = total.assets.find(({ denom }) => denom === 'uatom')!;
    assert.match(text, new RegExp(`Holdings at the end of ${printedDay(coverage.index_end)}`));
    assert.ok(lines.some((line) => line.startsWith(`ATOM ${grouped(atom.closing_quantity)} `)));
    const { events } = (await server.ask(`/api/tax/v1/events?${query}&type=income`)).json();
    const cents = new Map<string, number>();
    for (const { date, valueUsd } of events as { date: string; valueUsd: number }[]) {
      const month = date.slice(0, 7);
      cents.set(month, (cents.get(month) ?? 0) + Math.round(valueUsd * 100));
    }
    assert.ok(cents.size > 1);
    for (const [month, sum] of cents) {
      const shown = grouped((sum / 100).toFixed(2));
      assert.ok(
        lines.some((line) => line.startsWith(`${printedDay(month)} `) && line.includes(` ${shown}`)),
        month,
      );
    }
    assert.match(text, /May 2026 – Dec 2026 +not recorded/);
    assert.match(text, /Schedule 1 \(Form 1040\), line 8v +www\.irs\.gov/);
    assert.match(text, /not tax advice/);
  });

  test('a wallet without rows has no figure that looks like income or a sale', async () => {
    const query = `address=${WALLETS.silent}&year=2026&format=pdf`;
    const answer = await fetch(`${server.base}/api/tax/v1/summary?${query}`);
    const text = textOf(Buffer.from(await answer.arrayBuffer()));
    for (const words of ['No income.', 'No sales.', 'Nothing is open.', 'No income and no sales.'])
      assert.ok(text.includes(words), words);
  });

  test('the most crowded year is one page, and what is unknown reads so', async () => {
    const months = Array.from({ length: 12 }, (_, i) => `2026-${String(i + 1).padStart(2, '0')}`);
    const kinds = ['Staking Rewards', 'Validator Commission', 'Airdrops', 'Other'].map((kind) => `Income: ${kind}`);
    const unknown = { count: 3, without_price: 3, income_usd: '' };
    const disposed = {
      ...{
        count: 9,
        refunds: 0,
        without_price: 4,
        without_basis: 5,
        proceeds_usd: '500.00',
        proceeds_basis_unknown_usd: '500.00',
      },
      ...{ refunded_proceeds_usd: '0.00', cost_usd: '', cost_without_price_usd: '0.00' },
      ...{ gain_short_usd: '', gain_long_usd: '', gain_usd: '' },
      ...{ sales: 9, sales_known: 0, sales_short: 0, sales_long: 0, sales_unknown: 9, gain_known: 'none' },
    };
    const total = {
      ...{ income_usd: '', fees_usd: '123456789.12', disposed },
      disposals: [{ account: 'Expense: Network Fees', count: 6400, without_price: 3 }],
      income: kinds.map((account) => ({ account, ...unknown })),
      reliefs: ['gift', 'donation', 'loss', 'own_transfer', 'other'].map((kind) => ({ kind, count: 2, cost_usd: '' })),
      assets: Array.from({ length: 30 }, (_, i) => ({
        ...{ asset: `factory/cosmos1${'q'.repeat(38)}/${i}`, denom: `factory/cosmos1${'q'.repeat(38)}/${i}` },
        ...{ closing_quantity: '9'.repeat(40), closing_before_index_quantity: String(i % 3) },
        // Excluded coins have a known cost of zero.
        ...{ closing_basis_unknown_quantity: '2', closing_cost_usd: i % 2 === 0 ? '0.00' : '' },
      })),
      open: (
        [
          'undecided_receipts',
          'receipts_of_unknown_basis',
          'assets_of_unknown_basis',
          'unclassified_rows',
          'days_without_price',
          'rows_without_price',
        ] as const
      ).map((question) => ({ question, count: 12_345 })),
    } as unknown as SheetLines;
    const reference = loadReference();
    const content: SummaryContent = {
      addresses: Array.from({ length: 50 }, (_, i) => `cosmos1${String(i).padStart(58, 'q')}`),
      days: ['2026-01-01', '2026-12-31'],
      total,
      months: months.flatMap((month) => kinds.map((account) => ({ month, account, cents: 0n, count: 1, unpriced: 1 }))),
      incomplete: [],
      coverage: {
        ...{
          complete: true,
          range_complete: false,
          index_start: '2025-12-31',
          index_end: '2026-12-30',
          generation: 'h1-000000000000',
        },
        ...{ covered_from: '2026-01-01T00:00:00Z', covered_to: '2026-12-30T00:00:00Z' },
      } as Coverage,
      ...{ methodologyVersion: '1.1.0', recognitionPolicy: 'at-claim', made: new Date(0), terms: USUAL },
      ...{ usReturn: reference.usReturn, rules: reference.rules },
    };
    const text = textOf(await summaryPdf(content));
    const printed = async (gains: object) =>
      linesOf(
        textOf(await summaryPdf({ ...content, total: { ...total, disposed: { ...disposed, ...gains } as never } })),
      );
    const short = { gain_short_usd: '12.34', gain_usd: '12.34', cost_usd: '5.00' };
    const glanceOf = (lines: readonly string[]) => {
      const at = lines.indexOf('Income Short-term gain Long-term gain Network fees');
      return lines
        .slice(at + 1)
        .filter((line) => line !== '')
        .slice(0, 2)
        .join(' / ');
    };

    const most = await printed({ ...short, sales_short: 6, sales_unknown: 3, gain_known: 'most' });
    assert.match(
      glanceOf(most),
      /^Not known yet \$12\.34 Not known yet .* so far: 6 sales; 3 of 9 sales not fully known 3 of 9 /,
    );
    assert.ok(most.some((line) => /^Short-term: \$12\.34 so far .*line 3/.test(line)));
    assert.ok(most.some((line) => /^Long-term: Not known yet .*line 10/.test(line)));

    const some = await printed({ ...short, sales_short: 2, sales_unknown: 7, gain_known: 'some' });
    assert.match(glanceOf(some), /^Not known yet Not known yet Not known yet .* so far: \$12\.34 of 2 sales; 7 of 9 /);

    const all = await printed({ ...short, gain_long_usd: '0.00', sales_short: 9, sales_unknown: 0, gain_known: 'all' });
    assert.match(glanceOf(all), /^Not known yet \$12\.34 None /);
    assert.ok(all.some((line) => /^Long-term: None .*line 10/.test(line)));
    for (const lines of [most, some, all]) assert.doesNotMatch(lines.join('\n'), /\$0\.00/);

    assert.equal(text.split('\f').length - 1, 1);
    const lines = linesOf(text);
    const footer = lines.findIndex((line) => line.startsWith('hubledger · dataset'));
    const last = lines.findIndex((line) => line.includes('not tax advice'));
    assert.ok(last > 0 && last < footer, 'nothing lies under the footer');
    assert.ok(lines.includes('Not known yet Not known yet Not known yet $123,456,789.12'));
    assert.ok(lines.includes('Jan 2026 no price no price no price no price no price'));
    assert.match(text, /so far: 6,397 of 6,400, counted as sales/);
    assert.match(text, /and 22 more, in the file “Positions”/);
    assert.match(text, /and 47 more wallets/);
    assert.doesNotMatch(text, /qqqqqqq\/|\$0\.00/);
    assert.match(text, /Short-term: Not known yet.*line 3/);
    const unpriced = { ...total, fees_usd: '', disposed: { ...disposed, proceeds_usd: '' } } as unknown as SheetLines;
    const lacking = textOf(await summaryPdf({ ...content, total: unpriced }));
    assert.match(lacking, /(Not known yet\s+){4}/);
    assert.match(lacking, /Proceeds of all 9 sales +Not known yet/);
  });
}
