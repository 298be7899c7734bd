/** The page of holdings in a real browser, on the whole sample: its figures are those of the API, unknown ones are no zeros. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HoldingsAt } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { KNOWN } from '../../../tracked-wallets/search-node.js';
import { ALL_LOOKS, type Visit } from './pages/browser.js';
import { addressOf, ownWallets, REGULAR, SamplePages } from './pages/sample-pages.js';

const WALLET = addressOf('reg05');
const [OWN] = Object.values(KNOWN);
const NOON = '2026-01-31T12:00:00Z';

const answerOf = async ({ server }: SamplePages, query: object): Promise<HoldingsAt> => {
  const response = await fetch(`${server.base}/api/tax/v1/holdings`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(query),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as HoldingsAt;
};

const openAt = async ({ browser }: SamplePages, fragment: string): Promise<Visit> => {
  const visit = await browser.open(`/holdings#${fragment}`);
  await visit.page.waitForSelector('#glance');
  return visit;
};

/** The cells of each wallet, '' where the page shows that a figure is unknown. */
const shown = ({ page }: Visit): Promise<string[][][]> =>
  page.$$eval('section[id^=wallet-]', (wallets) =>
    wallets.map((wallet) =>
      [...wallet.querySelectorAll('tbody tr')].map((row) => [
        row.querySelector('.denom')!.textContent!,
        ...[...row.querySelectorAll('td')].map((cell) => cell.querySelector('data')?.getAttribute('value') ?? ''),
      ]),
    ),
  );
const expected = ({ wallets }: HoldingsAt): string[][][] =>
  wallets.map(({ assets }) =>
    assets.map((one) => [
      one.denom,
      ...[one.liquid, one.staked ?? '', one.unbonding ?? '', one.unclaimed ?? ''],
      ...[one.price_usd ?? '', one.value ?? '', one.unclaimed_value ?? ''],
    ]),
  );

for (const program of programs('browser')) {
  describe('the page of holdings', () => {
    let pages: SamplePages;
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    const ask = (query: object) => answerOf(pages, query);
    const open = (fragment: string) => openAt(pages, fragment);

    test('shows every figure of the API, at instants and in currencies', async () => {
      const several = [WALLET, REGULAR[0]!, REGULAR[1]!];
      const queries = [
        { addresses: [WALLET], instant: { date: '2026-01-31' }, currency: 'EUR' },
        { addresses: several, instant: { at: NOON }, currency: 'JPY' },
        { addresses: several, instant: {}, currency: 'USD' },
      ];
      for (const { addresses, instant, currency } of queries) {
        const [[name, value] = ['latest', '']] = Object.entries(instant);
        const visit = await open(`addresses=${addresses.join(',')}&${name}=${value}&currency=${currency}`);
        const answer = await ask({ address: addresses, currency, ...instant });
        assert.deepEqual(await shown(visit), expected(answer));
        assert.deepEqual(await visit.figures('#glance .big'), [answer.total_value]);
        const text = (await visit.texts('main')).join();
        assert.equal(text.includes('$'), currency === 'USD', currency);
        const facts = (await visit.texts('#basis')).join();
        for (const fact of [answer.coverage.generation, answer.block_time.slice(11, -1)])
          assert.ok(facts.includes(fact));
        if (answer.rate) assert.ok(facts.includes(`${answer.rate.usd_per_eur} USD for one euro`), facts);
        if (answer.value_missing > 0) {
          assert.match(
            (await visit.texts('#glance .scope')).join(),
            new RegExp(`^A value of ${answer.value_missing} of \\d+ assets`),
          );
        }
        await visit.close();
      }
    });

    test('names the instants at which unclaimed rewards are known, and leads to them', async () => {
      const visit = await open(`addresses=${WALLET}&at=${NOON}&currency=USD`);
      assert.match(
        (await visit.texts('.notice[role=note]')).join(),
        /not known at this instant.* known at 31 Jan 2026, 00:00:00 UTC and at 1 Feb 2026, 00:00:00 UTC\./,
      );
      await visit.press('1 Feb 2026, 00:00:00 UTC');
      await visit.page.waitForFunction(`document.querySelector('h1')?.textContent.includes('1 Feb')`);
      await visit.page.waitForSelector('#glance');
      const answer = await ask({ address: WALLET, date: '2026-01-31' });
      assert.deepEqual(await shown(visit), expected(answer));
      assert.notEqual(answer.wallets[0]!.assets[0]!.unclaimed, null);
      await visit.close();
    });

    test('is asked by its form, is one click from the report, and gives the file of the API', async () => {
      const report = await pages.visit(WALLET);
      await report.press('Holdings after the last block');
      await report.page.waitForSelector('#glance');
      assert.match(report.page.url(), /\/holdings#addresses=cosmos1\w+&latest&currency=USD$/);
      await report.page.select('#when', 'at');
      await report.page.type('#time', 'tomorrow');
      await report.press('Show holdings');
      assert.match((await report.texts('.faults')).join(), /^Enter a time such as /);
      await report.page.$eval('#time', (input) => (input as unknown as { select(): void }).select());
      await report.page.type('#time', '2026-02-01 09:00 +09:00');
      await report.page.select('#currency', 'CHF');
      await report.press('Show holdings');
      await report.page.waitForFunction(`document.querySelector('h1')?.textContent.includes('UTC+09:00')`);
      await report.page.waitForSelector('#glance');
      const answer = await ask({ address: WALLET, at: '2026-02-01T00:00:00Z', currency: 'CHF' });
      assert.deepEqual(await shown(report), expected(answer));
      const { text } = await report.downloaded(() => report.press('Download CSV'));
      const file = await pages.post('holdings', {
        ...{ address: WALLET, at: '2026-02-01T00:00:00Z', currency: 'CHF', format: 'csv' },
        ...{ start: undefined, end: undefined, assetDecisions: undefined },
      });
      assert.equal(text, file);
      await report.page.goBack();
      await report.page.waitForFunction(`document.querySelector('h1')?.textContent.includes('last block')`);
      await report.close();
    });

    test('offers the first instants of tax years, at which unclaimed rewards are known', async () => {
      const visit = await open(`addresses=${WALLET}&latest&currency=GBP`);
      const at = '2026-04-05T23:00:00Z';
      await visit.page.waitForSelector(`#when option[value="${at}"]`);
      await visit.page.select('#when', at);
      assert.equal(await visit.page.$('#time'), null, 'the instant needs no further field');
      await visit.press('Show holdings');
      await visit.page.waitForFunction(
        `document.querySelector('h1')?.textContent.includes('5 Apr 2026, 23:00:00 UTC')`,
      );
      await visit.page.waitForSelector('#glance');
      assert.match(
        (await visit.texts('#basis')).join(),
        /before 5 Apr 2026, 23:00:00 UTC, the first instant of the tax year 2026 in the United Kingdom/,
      );
      const answer = await ask({ address: WALLET, at, currency: 'GBP' });
      assert.ok(answer.wallets[0]!.assets.every(({ unclaimed }) => unclaimed !== null));
      assert.deepEqual(await shown(visit), expected(answer));
      await visit.close();
    });

    test('says which instants are recorded, without a figure', async () => {
      const visit = await pages.browser.open(`/holdings#addresses=${WALLET}&date=2020-12-31`, { leaves: true });
      await visit.page.waitForSelector('.load-state');
      assert.match((await visit.texts('.load-state')).join(), /outside the index/);
      assert.deepEqual(await visit.texts('.figure'), []);
      await visit.close();
    });

    test('shows nothing unknown as zero: without a rate, without a price, and where an amount is too large', async () => {
      const query = { address: WALLET, date: '2026-01-31', currency: 'EUR' };
      const answer = await ask(query);
      const assets = answer.wallets[0]!.assets.map((asset) => ({
        ...asset,
        ...{ unclaimed: null, unclaimed_reason: { code: 'too_large', before: null, after: null } },
        ...{ value: null, unclaimed_value: null },
      }));
      const unknown = {
        ...{ ...answer, rate: null, total_value: '0.00', value_missing: assets.length },
        wallets: [{ address: WALLET, assets }],
      };
      const visit = await pages.browser.open('/holdings');
      await visit.page.setRequestInterception(true);
      visit.page.on('request', (request) =>
        request.url().endsWith('/api/tax/v1/holdings')
          ? void request.respond({ contentType: 'application/json', body: JSON.stringify(unknown) })
          : void request.continue(),
      );
      await visit.page.goto(`${pages.server.base}/holdings#addresses=${WALLET}&date=2026-01-31&currency=EUR`);
      await visit.page.reload();
      await visit.page.waitForSelector('#glance');
      assert.deepEqual(await visit.texts('#glance .big'), ['not known']);
      const values = await visit.texts('#main td:nth-last-child(-n + 2)');
      assert.ok(
        values.length > 2 && values.every((text) => /^(no rate|no price|not known)$/.test(text)),
        values.join(),
      );
      const words = (await visit.texts('.notice[role=note]')).join();
      assert.match(words, /There is no exchange rate of EUR for this day/);
      assert.match(words, /not known at this instant. An amount has more than 38 digits\.$/);
      assert.match((await visit.texts('#basis')).join(), /Ratenot known/);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });

    test('passes axe in every look and on paper, where an ordinary wallet fills one sheet', async () => {
      const empty = await pages.browser.open('/holdings');
      await empty.requireEveryLook('holdings-empty', ALL_LOOKS);
      await empty.close();
      const visit = await open(`addresses=${WALLET}&at=${NOON}&currency=EUR`);
      await visit.requireEveryLook('holdings', ALL_LOOKS);
      await visit.page.emulateMediaType('print');
      for (const { width } of ALL_LOOKS) {
        await visit.page.setViewport({ width, height: 900 });
        assert.deepEqual(await visit.accessibility(), [], `on paper, ${width} pixels`);
      }
      const hidden = await visit.page.$$eval('.masthead, .ask, .statement-controls', (all) =>
        all.map((one) => one.checkVisibility()),
      );
      assert.deepEqual(hidden, [false, false, false]);
      for (const format of ['A4', 'letter'] as const) {
        const sheets = Buffer.from(await visit.page.pdf({ format })).toString('latin1');
        assert.equal(sheets.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1, format);
      }
      await visit.close();
    });
  });

  describe('the page of holdings on a dataset of single wallets', () => {
    let pages: SamplePages;
    before(async () => {
      pages = await SamplePages.start(program, ownWallets);
    });
    after(() => pages.stop());

    test('shows every figure of the API, and only the check that this dataset has', async () => {
      for (const instant of ['at=2026-03-31T12:00:00Z', 'at=2026-04-05T23:00:00Z', 'latest']) {
        const visit = await openAt(pages, `addresses=${OWN}&${instant}&currency=EUR`);
        const [, at] = instant.split('=');
        const answer = await answerOf(pages, { address: OWN, currency: 'EUR', ...(at && { at }) });
        assert.deepEqual(await shown(visit), expected(answer), instant);
        const isUnknown = answer.wallets[0]!.assets.some(({ unclaimed }) => unclaimed === null);
        assert.equal(
          (await visit.texts('.notice[role=note]')).join().includes('not known at this'),
          isUnknown,
          instant,
        );
        assert.deepEqual(await visit.texts('.command'), [`./hubledger verify --dataset ${pages.server.base}`]);
        assert.deepEqual(await visit.accessibility(), []);
        await visit.close();
      }
    });
  });
}
