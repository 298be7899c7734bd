/** The report by the rules of a country: the way of a German from an address to the paper, and what other countries ask. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PDFDocument } from 'pdf-lib';
import type { Page } from 'puppeteer-core';
import type { TaxYear } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { ALL_LOOKS, type Visit } from './pages/browser.js';
import { addressOf, bodyOf, DOUBTFUL, SamplePages, shownGlance, UNDECIDED } from './pages/sample-pages.js';

const EXAMPLE = 'cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w';
const CLICKS_MAX = 6;
const DOLLARS = /.{0,40}(?:\$|US dollar).{0,40}/g;

/** Counts the clicks of a person, from the first page on. */
const countingClicks = async (page: Page) =>
  void (await page.evaluateOnNewDocument(
    "globalThis.clicks = 0; addEventListener('click', ({ isTrusted }) => { clicks += isTrusted ? 1 : 0; }, true);",
  ));

/** Returns where the page, its hints and its folded parts name dollars. */
const dollars = ({ page }: Visit): Promise<string[]> =>
  page.$eval(
    'body',
    (body, found) => {
      const titles = [...body.querySelectorAll('[title]')].map((one) => one.getAttribute('title'));
      return `${body.textContent} ${titles.join(' ')}`.match(new RegExp(found, 'g')) ?? [];
    },
    DOLLARS.source,
  );

/** Returns the figures that a part of the page shows; '' for a word in place of a figure. */
const figures = ({ page }: Visit, selector: string): Promise<string[]> =>
  page.$$eval(selector, (all) => all.map((one) => one.querySelector('data')?.getAttribute('value') ?? ''));

for (const program of programs('browser')) {
  describe('the report of a country', () => {
    let pages: SamplePages;
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    const ask = async (body: object): Promise<Buffer> => {
      const response = await fetch(`${pages.server.base}/api/tax/v1/tax-year`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ assetDecisions: UNDECIDED, ...body }),
      });
      assert.equal(response.status, 200);
      return Buffer.from(await response.arrayBuffer());
    };
    const yearOf = async (body: object): Promise<TaxYear> => JSON.parse(String(await ask(body)));

    /** Requires that the page shows the answer's sums and lines. */
    const requireFigures = async (visit: Visit, body: object, gain: 'gain' | 'taxable_gain') => {
      const { income, disposals, form } = await yearOf(body);
      const cards = await figures(visit, '#glance .cards .big');
      const missing = disposals.unknown.count + disposals.proceeds_missing;
      const isMostlyUnknown = 2 * missing > disposals.count;
      const isPartial = missing > 0;
      const known = (value: string | null) => (value === null || (isPartial && Number(value) === 0) ? '' : value);
      assert.deepEqual(cards.slice(0, 2), [
        income.total,
        disposals.count === 0 || isMostlyUnknown ? '' : known(disposals[gain]),
      ]);
      const lines = form.map(({ label, value }) =>
        /[Gg]ain|[Cc]ost|[Pp]roceeds/.test(label!) ? known(value!) : value!,
      );
      assert.deepEqual(await figures(visit, '#form .sums > div'), lines);
    };

    test('a German comes from an address to the paper in at most six clicks, and meets no dollar', async () => {
      const visit = await pages.browser.open('/', { timezone: 'Europe/Berlin', extension: countingClicks });
      assert.equal(await visit.page.$eval('#country', (one) => (one as unknown as { value: string }).value), 'DE');
      assert.deepEqual(await dollars(visit), []);
      await visit.requireEveryLook('german-form', ALL_LOOKS);
      await visit.page.click('#addresses');
      await visit.page.keyboard.type(DOUBTFUL);
      await visit.press('Show my year');
      await visit.settled();
      const body = { address: DOUBTFUL, country: 'DE', year: '2026', timezone: 'Europe/Berlin' };
      await requireFigures(visit, body, 'taxable_gain');
      await visit.press('Download', '.jump');
      await visit.click((await visit.page.waitForSelector('#downloads .notice .button'))!);
      await visit.settled();
      const { name, bytes } = await visit.downloaded(() => visit.press('Download Tax year, PDF'));
      const clicks = Number(await visit.page.evaluate('clicks'));
      assert.ok(clicks >= 5 && clicks <= CLICKS_MAX, `${clicks} clicks`);
      assert.match(name, /tax-year.*2026.*\.pdf$/);
      const { decisions } = await visit.stated();
      const paper = await ask({ ...body, assetDecisions: { ...UNDECIDED, ...decisions }, format: 'pdf' });
      assert.ok(bytes.equals(paper), 'the paper is that of the API');
      const { width, height } = (await PDFDocument.load(bytes)).getPage(0).getSize();
      assert.deepEqual([width, height], [595, 842]);
      await visit.close();
    });

    test('its figures are those of the API in euros, on the screen, in files and on paper', async () => {
      const visit = await pages.browser.open('/', { timezone: 'Europe/Berlin' });
      await visit.page.type('#addresses', EXAMPLE);
      await visit.press('Show my year');
      await visit.settled();
      const body = { address: EXAMPLE, country: 'DE', year: '2026', timezone: 'Europe/Berlin' };
      await requireFigures(visit, body, 'taxable_gain');
      assert.match((await visit.texts('#country-line')).join(), /Germany\. Amounts are in euros/);
      assert.match((await visit.texts('#review')).join(), /draft: no professional has confirmed/);
      assert.match((await visit.texts('#glance .big')).join(), /^€\d+\.\d\d,not known yet,€/);
      assert.match((await visit.texts('#glance .cards')).join(), /Liquid\s*[\d,.]+ ATOM.*Other coins\s*2/s);
      await visit.requireEveryLook('german', ALL_LOOKS);
      const tables = await ask({ ...body, format: 'csv', section: 'disposals' });
      const file = await visit.downloaded(() => visit.press('Download Disposals'));
      assert.equal(file.text, String(tables));

      await visit.unfold('Coins from before the records');
      await visit.paste('#asked form.lots', 'amount;date;cost in EUR\n3;2024-05-03;1500,50 €\n');
      await visit.press('Use these costs', '#asked form.lots');
      await visit.page.waitForFunction("document.querySelector('#asked').textContent.includes('entered so far')");
      await visit.settled();
      const { openingLots } = await visit.stated();
      assert.deepEqual(
        openingLots.map((lot) => ({ ...lot, address: '' })),
        [
          {
            address: '',
            denom: 'uatom',
            quantity: '3',
            acquired_date: '2024-05-03',
            currency: 'EUR',
            cost_basis: '1500.50',
          },
        ],
      );
      await requireFigures(visit, { ...body, openingLots }, 'taxable_gain');
      await visit.unfold();
      assert.deepEqual(await dollars(visit), []);
      await visit.requireEveryLook('german-unfolded');
      await visit.page.evaluate("dispatchEvent(new Event('beforeprint'))");
      await visit.page.emulateMediaType('print');
      assert.deepEqual(await visit.accessibility(), []);
      const { income } = await yearOf({ ...body, openingLots });
      assert.ok((await figures(visit, '.paper td')).includes(income.total!));
      assert.deepEqual(await dollars(visit), []);
      await visit.close();
    });

    test('asks a Briton for all wallets, and the link for an accountant has country, year and answer', async () => {
      const visit = await pages.browser.open('/', { timezone: 'Europe/London' });
      const address = addressOf('heavy6');
      await visit.page.type('#addresses', address);
      await visit.press('Show my year');
      await visit.settled();
      assert.match((await visit.texts('h1')).join(), /2026\/27/);
      assert.match((await visit.texts('.title .lead')).join(), /6 Apr 2026 to 5 Apr 2027, Europe\/London/);
      const body = { address, country: 'GB', year: '2026', timezone: 'Europe/London' };
      await requireFigures(visit, body, 'gain');
      assert.match((await visit.texts('#glance .cards')).join(), /Cost and gains are withheld/);
      await visit.requireEveryLook('british');
      await visit.press('Yes, these are all');
      await visit.page.waitForFunction("!document.querySelector('#glance .cards').textContent.includes('withheld')");
      await visit.settled();
      await requireFigures(visit, { ...body, complete: 'true' }, 'gain');
      assert.doesNotMatch((await visit.texts('#glance .cards')).join(), /withheld/);
      await visit.press('Copy link for my accountant');
      await visit.page.waitForSelector('#answers-link');
      const link = await visit.page.$eval('#answers-link', (one) => (one as unknown as { value: string }).value);
      const accountant = await pages.browser.openAt(link, { timezone: 'America/New_York' });
      await accountant.settled();
      await requireFigures(accountant, { ...body, complete: 'true' }, 'gain');
      assert.match((await accountant.texts('.title .lead')).join(), /6 Apr 2026 to 5 Apr 2027, Europe\/London/);
      assert.ok(await accountant.page.$('#country:disabled'));
      await accountant.close();
      await visit.close();
    });

    test('takes another currency in place of the country’s', async () => {
      const visit = await pages.browser.open('/', { timezone: 'Europe/Berlin' });
      await visit.page.type('#addresses', EXAMPLE);
      await visit.press('Show my year');
      await visit.settled();
      await visit.press('Change the country');
      await visit.requireEveryLook('german-terms', ALL_LOOKS);
      await visit.page.select('#currency', 'JPY');
      await visit.press('Show my year');
      await visit.page.waitForFunction("document.querySelector('#country-line')?.textContent.includes('Japanese yen')");
      await visit.page.waitForSelector('#form');
      await visit.settled();
      const body = { address: EXAMPLE, country: 'DE', year: '2026', timezone: 'Europe/Berlin', currency: 'JPY' };
      await requireFigures(visit, body, 'taxable_gain');
      assert.match((await visit.texts('#glance .big')).join(), /^¥\d+,/);
      await visit.page.reload();
      await visit.settled();
      await requireFigures(visit, body, 'taxable_gain');
      await visit.close();
    });

    test('opens other days of a country as the tax year in which they begin', async () => {
      const visit = await pages.browser.open('/', { timezone: 'Europe/London' });
      await visit.page.select('#country', 'AU');
      await visit.page.type('#addresses', EXAMPLE);
      await visit.press('Show my year');
      await visit.settled();
      assert.match((await visit.texts('.title .lead')).join(), /1 Jul 2025 to 30 Jun 2026/);
      await visit.page.goto(`${pages.server.base}/#addresses=${EXAMPLE}&year=2026`);
      await visit.page.reload();
      await visit.settled();
      assert.match((await visit.texts('.title .lead')).join(), /1 Jul 2025 to 30 Jun 2026/);
      await visit.close();
    });

    test('costs in dollars from before the records do not count for a German, who enters them in euros', async () => {
      const visit = await pages.browser.open('/#example', { timezone: 'Europe/Berlin' });
      await visit.settled();
      assert.equal((await visit.stated()).openingLots.length > 0, true);
      await visit.press('Switch to Germany');
      await visit.page.waitForSelector('#review');
      await visit.settled();
      const body = { address: EXAMPLE, country: 'DE', year: '2026', timezone: 'Europe/Berlin' };
      await requireFigures(visit, body, 'taxable_gain');
      await visit.unfold('Coins from before the records');
      assert.match(
        (await visit.texts('#asked form.lots .fine')).join(),
        /It does not count here: enter the cost in euros/,
      );
      assert.deepEqual(await dollars(visit), []);
      await visit.close();
    });

    test('without a country, and for an American, the report is the usual one', async () => {
      const visit = await pages.browser.open('/', { timezone: 'America/Chicago' });
      assert.equal(await visit.page.$eval('#country', (one) => (one as unknown as { value: string }).value), 'US');
      await visit.page.type('#addresses', EXAMPLE);
      await visit.press('Show my year');
      await visit.settled();
      const usual = await pages.glance({ ...bodyOf([EXAMPLE], await visit.stated()), timezone: 'America/Chicago' });
      assert.deepEqual(await shownGlance(visit), usual);
      assert.deepEqual(await visit.texts('#country-line'), []);
      const link = await pages.visit(EXAMPLE, { timezone: 'Europe/Berlin' });
      assert.deepEqual(await shownGlance(link), await pages.glance({ address: EXAMPLE, timezone: 'Europe/Berlin' }));
      await link.press('Switch to Germany');
      await link.page.waitForSelector('#review');
      await link.settled();
      assert.match((await link.texts('#country-line')).join(), /Country: Germany/);
      await link.close();
      await visit.close();
    });
  });
}
