/** The printed tax year: words where a figure is not known, and at most three pages for the most crowded year. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { PDFDocument } from 'pdf-lib';
import { currencyOf } from '../../../../pipeline/books/currencies/index.js';
import { loadReference } from '../../../../pipeline/reference.js';
import type { CountryRules, Coverage } from '../../../../schemas/types.generated.js';
import { type TaxYearContent, taxYearPdf } from '../../../../server/tax/formats/tax-year-pdf.js';
import { programs } from '../../../requirements.js';

const { countries } = loadReference();
const countryNamed = (code: string) => countries.find(({ country }) => country === code)!;

const LONG = `factory/cosmos1${'q'.repeat(38)}`;

/** A German year in which a part of every sum is missing. */
const GERMAN: TaxYearContent = {
  addresses: [`cosmos1${'q'.repeat(58)}`],
  terms: {
    ...{ country: 'DE', currency: 'EUR', timezone: 'Europe/Berlin', method: 'fifo', income: 'claim_and_year_end' },
    ...{ first: '2026-01-01', last: '2026-12-31', isComplete: false },
  },
  currency: currencyOf('EUR'),
  country: countryNamed('DE'),
  answer: {
    year: { name: '2026', end: '2027-01-01T00:00:00+01:00' },
    ...{ scope: 'address', methodology_version: '3.1.0' },
    rates: { source: 'euro reference rates of the European Central Bank', last_day: '2026-12-30' },
    income: {
      kinds: [
        {
          ...{
            kind: 'staking_reward',
            account: 'Income: Staking Rewards',
            symbol: 'ATOM',
            denom: 'uatom',
            count: 1234,
          },
          ...{ quantity: '98765.432101', value: '543210.98', value_missing: 2 },
        },
        {
          ...{ kind: 'tagged_airdrop', account: 'Income: Airdrops', symbol: `${LONG}/X`, denom: `${LONG}/X`, count: 3 },
          ...{ quantity: '9', value: null, value_missing: 3 },
        },
      ],
      ...{ total: '543210.98', value_missing: 6 },
    },
    disposals: {
      count: 4321,
      quantity_by_asset: [{ symbol: 'ATOM', denom: 'uatom', quantity: '1000.5' }],
      ...{ proceeds: '7000.00', cost: '0.00', gain: '7000.00', short_gain: null, long_gain: null },
      ...{ taxable_gain: '0.00', exempt_gain: '7000.00', unknown: { count: 17, proceeds: '1234.50' } },
      ...{ proceeds_missing: 6, withheld: null },
    },
    holdings: {
      ...{ at: '2026-12-31T23:00:00Z', height: 1234567 },
      assets: [
        {
          ...{ symbol: 'ATOM', denom: 'uatom', liquid: '12345.678901', staked: '2000', unbonding: '0' },
          ...{ unclaimed: null, price: null, value: null, unclaimed_value: null, cost: null },
        },
      ],
    },
    form: countryNamed('DE').form.map(({ form, line, label }, i) => ({
      ...{ form, line, label },
      value: i === 0 ? '543210.98' : '0.00',
    })),
    open: [
      { kind: 'income_without_price', count: 5 },
      { kind: 'unclaimed_at_year_end_unknown', count: 1 },
      { kind: 'acquisitions_until_2027-01-30', count: 1 },
      { kind: 'kind_of_a_later_version', count: 1 },
    ],
    coverage: {
      ...{ complete: true, range_complete: false, index_start: '2026-01-01', index_end: '2026-12-30' },
      ...{ covered_from: '2026-02-01T00:00:00Z', covered_to: '2026-12-30T00:00:00Z' },
      ...{ generation: 'h1234567-0123456789ab', height: 1234567, holdings_from: 1, holdings_until: 1234567, note: '' },
    } as Coverage,
  },
  incomplete: [],
  made: new Date(0),
};

test('the paper has the size that the country uses: letter in America, A4 in Europe', async () => {
  const sizeFor = async (country: string | null) => {
    const pdf = await PDFDocument.load(await taxYearPdf({ ...GERMAN, terms: { ...GERMAN.terms, country } }));
    return pdf.getPages().map((page) => [page.getWidth(), page.getHeight()].join(' × '));
  };
  const a4 = await sizeFor('DE');
  assert.deepEqual([...new Set(a4)], ['595 × 842']);
  for (const country of [null, 'US', 'CA']) assert.deepEqual([...new Set(await sizeFor(country))], ['612 × 792']);
});

for (const pdftotext of programs('pdftotext')) {
  const printed = async (content: TaxYearContent) => {
    const pdf = await taxYearPdf(content);
    const text = execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
    return { text, lines: text.split('\n').map((line) => line.trim().split(/\s+/).join(' ')) };
  };
  const answerWith = (more: Partial<TaxYearContent['answer']>) => ({ ...GERMAN.answer, ...more });
  const has = (lines: readonly string[], ...expected: readonly string[]) => {
    for (const line of expected) assert.ok(lines.includes(line), `${line}\n${lines.join('\n')}`);
  };

  test('terms, form, sums and sources are words and figures of the answer; a zero that lacks parts is a word', async () => {
    const { text, lines } = await printed(GERMAN);
    has(
      lines,
      'Tax year 2026, Germany Tax records of the Cosmos Hub',
      'Draft: no professional has confirmed these rules.',
      `cosmos1${'q'.repeat(58)}`,
      'Year Jan 1, 2026 – Dec 31, 2026, days of Europe/Berlin',
      'Currency euros (EUR)',
      'Method first in, first out',
      'Scope each wallet has its own coins',
      'Income rewards are income when they are claimed, or when a year ends and they are unclaimed',
      'Rules Germany, version 1.0.0 of Nov 29, 2026, draft',
      'Anlage SO, § 22 Nr. 3 Income from services: staking rewards 543,210.98 *',
      '* Without 5 receipts without a value and unclaimed rewards of 1 wallet.',
      'Anlage SO, § 23 Gain or loss of private sales within one year not known',
      '* Without 17 lines of unknown cost and 6 lines without a price.',
      'Staking reward ATOM 1,234 98,765.432101 543,210.98 * 2',
      'Tagged airdrop factory…qq/X 3 9 not known 3',
      'Total 543,210.98 *',
      '4,321 disposals: 1,000.5 ATOM.',
      'Proceeds 7,000.00 *',
      'Cost not known',
      'Taxable gain or loss not known',
      'Exempt gain or loss 7,000.00 *',
      'Lines of unknown cost, part of no sum 17',
      'Their proceeds 1,234.50',
      'Lines without a price, part of no sum 6',
      'ATOM 12,345.678901 2,000 0 not known not known not known not known not known',
      'After block 1,234,567, at 2026-12-31T23:00:00Z. Values are of liquid, staked and unbonding coins.',
      'Receipts of income without a price or rate 5',
      'Acquisitions until Jan 30, 2027 may change gains',
      'Kind of a later version',
    );
    assert.match(text, /Not every day of this year is recorded: only Feb 1, 2026 to Dec 30, 2026\./);
    assert.match(text, /section=disposals\) has them/);
    const flat = lines.join(' ');
    assert.match(flat, /Rates: euro reference rates of the European Central Bank; last day: Dec 30, 2026\./);
    assert.match(flat, /\(methodology 3\.1\.0\).*Dataset h1234567-0123456789ab, height 1,234,567\./);
    assert.doesNotMatch(text, /\$|0\.00(?!\d)(?<!\d0\.00)|Short-term|null|undefined/);
  });

  test('what is withheld, not computed, stated and not recorded has its own words', async () => {
    const disposals = { ...GERMAN.answer.disposals, cost: null, gain: null, taxable_gain: null, exempt_gain: null };
    const form = [{ form: 'SA108', line: 'Gains', label: 'Gain or loss', value: null }];
    const country = { ...countryNamed('GB'), form: [{ ...form[0]!, sum: ['disposals.gain'] }] } satisfies CountryRules;
    const british = {
      ...{ ...GERMAN, country },
      answer: answerWith({
        scope: 'person',
        disposals: { ...disposals, withheld: 'pool_not_complete' },
        form,
        open: [],
      }),
    };
    const withheld = await printed(british);
    has(
      withheld.lines,
      'SA108, Gains Gain or loss withheld',
      'Cost withheld',
      'Gain or loss withheld',
      'By request not the country’s rule: currency, timezone, method, income',
      'Nothing is open.',
    );
    assert.match(withheld.lines.join(' '), /Cost and gains are withheld: .* A request says so by complete=true\./);
    assert.match(withheld.text, /the request does not say that the person has no others/);
    const none = await printed({
      ...{ ...GERMAN, country: undefined, terms: { ...GERMAN.terms, country: null, method: 'none' } },
      answer: answerWith({ disposals, form: [], holdings: null, rates: null }),
    });
    has(none.lines, 'Gain or loss not computed', 'Without a country there is no form.');
    has(none.lines, 'Not known: this dataset has no holdings of that moment.');
    has(none.lines, 'Rules no country: the request states all terms');
    const nothing = { kinds: [], total: '0.00', value_missing: 0 };
    const noSales = { ...disposals, count: 0, unknown: { count: 0, proceeds: '0.00' }, proceeds_missing: 0 };
    const unknown = await printed({ ...GERMAN, answer: answerWith({ income: nothing, disposals: noSales }) });
    has(unknown.lines, 'Not known.', 'No disposals.');
    const quiet = await printed({ ...GERMAN, answer: answerWith({ income: nothing, disposals: noSales, open: [] }) });
    has(quiet.lines, 'No income.', 'No disposals.');
    const { covered_from: _from, covered_to: _to, ...rest } = GERMAN.answer.coverage;
    const coverage = { ...rest, covered_from: null, covered_to: null } as Coverage;
    const outside = answerWith({ income: nothing, disposals: noSales, coverage });
    const lines = (await printed({ ...GERMAN, answer: outside })).lines;
    has(lines, 'These days are not recorded: every amount is missing here.', 'Not recorded.');
  });

  test('fifty wallets with hundreds of coins are at most three pages, and nothing lies under the footer', async () => {
    const coins = Array.from({ length: 300 }, (_, i) => `${LONG}/${i}`);
    const [kind] = GERMAN.answer.income.kinds;
    const [asset] = GERMAN.answer.holdings!.assets;
    const digits = '9'.repeat(40);
    const crowded = answerWith({
      income: {
        ...GERMAN.answer.income,
        kinds: [...coins.map((symbol) => ({ ...kind!, symbol, denom: symbol, quantity: digits })), kind!],
      },
      disposals: {
        ...GERMAN.answer.disposals,
        quantity_by_asset: [
          ...coins.map((symbol) => ({ symbol, denom: symbol, quantity: digits })),
          ...GERMAN.answer.disposals.quantity_by_asset,
        ],
      },
      holdings: {
        ...GERMAN.answer.holdings!,
        assets: [...coins.map((symbol) => ({ ...asset!, symbol, denom: symbol, liquid: digits })), asset!],
      },
    });
    const addresses = Array.from({ length: 50 }, (_, i) => `cosmos1${String(i).padStart(58, 'q')}`);
    const { text, lines } = await printed({ ...GERMAN, addresses, answer: crowded });
    const american = await printed({
      ...{ ...GERMAN, addresses, answer: crowded },
      terms: { ...GERMAN.terms, country: 'US' },
    });
    assert.equal(american.text.split('\f').slice(0, -1).length, 3);
    const pages = text.split('\f').slice(0, -1);
    assert.equal(pages.length, 2);
    has(lines, '50 wallets, which are listed at the end.');
    has(lines, 'and 281 more lines in the CSV file (section=income)');
    has(lines, 'and 281 more lines in the CSV file (section=holdings)');
    has(lines, 'Staking reward ATOM 1,234 98,765.432101 543,210.98 * 2');
    assert.ok(lines.some((line) => line.startsWith('ATOM 12,345.678901 2,000 ')));
    assert.match(lines.join(' '), /4,321 disposals: 1,000\.5 ATOM, .*and 289 more coins\./);
    for (const address of addresses) assert.ok(text.includes(address), address);
    for (const [i, page] of pages.entries())
      assert.match(page.trimEnd(), new RegExp(`not tax advice +Page ${i + 1} of 2$`));
  });
}
