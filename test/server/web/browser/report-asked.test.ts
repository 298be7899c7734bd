/** The report and what surrounds it: links, the back button, days that are not recorded, other tabs, and a browser that keeps nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import type { Page } from 'puppeteer-core';
import { readableDay } from '../../../../server/web/values/dates.js';
import { programs } from '../../../requirements.js';
import { PATIENCE_MS } from '../../browser-process.js';
import { OPERATORS, WALLETS } from '../../harness.js';
import type { Visit } from './pages/browser.js';
import { sharedPages } from './pages/shared-pages.js';

interface Index {
  readonly index_start: string;
  readonly index_end: string;
}

const MISTYPED = `${WALLETS.busy.slice(0, -1)}q`;

/** The form's addresses, period and days, without country and time zone. */
const formOf = ({ page }: Visit): Promise<string[]> =>
  page.$$eval('.ask textarea, .ask select:not(#country), .ask input:not(#zone)', (all) =>
    all.map((one) => (one as unknown as { value: string }).value),
  );

const lead = async (visit: Visit) => (await visit.texts('.title .lead')).join();

/** Sets the tag of a row, and waits until it counts. */
async function tagRow(visit: Visit, row: number): Promise<void> {
  await visit.page.bringToFront();
  const choice = (await visit.page.$$('.rows tbody select'))[row]!;
  await choice.focus();
  await choice.select('gift');
  await visit.settled();
}

/** A browser that refuses to keep anything, as some do for all or some sites. */
const keepingNothing = async (page: Page) =>
  void (await page.evaluateOnNewDocument(
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } })",
  ));

for (const program of programs('browser')) {
  describe('the report', () => {
    const { server, browser } = sharedPages(program);

    test('names in its form the wallets and days that it shows, also after the back button', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      assert.equal(await visit.page.$('.asked[open]'), null, 'the form is folded');
      await visit.page.locator('.asked > summary').click();
      await visit.page.select('#year', '2025');
      await visit.press('Show my year');
      await visit.page.waitForFunction("document.querySelector('h1')?.textContent.startsWith('Your 2025')");
      assert.equal(await visit.isOnScreen('h1:focus'), true, 'the focus leaves the form that folds');
      assert.equal(await visit.page.$('.asked[open]'), null);
      await visit.page.goBack();
      await visit.page.waitForFunction("document.querySelector('h1')?.textContent === 'Your 2026 so far'");
      assert.deepEqual(await formOf(visit), [WALLETS.light, '2026']);
      await visit.page.goto(`${server.base}/#addresses=${WALLETS.busy}&start=2026-01-05&end=2026-02-01`);
      await visit.settled();
      assert.deepEqual(await formOf(visit), [WALLETS.busy, 'range', '2026-01-05', '2026-02-01']);
      await visit.close();
    });

    test('empties the field at once if a recovery phrase is pasted, and neither sends nor keeps it', async () => {
      const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
      const sent: string[] = [];
      const extension = async (page: Page) =>
        void page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
      const visit = await browser.open('/', { extension });
      const value = () => visit.page.$eval('#addresses', (one) => (one as unknown as { value: string }).value);
      // Inserts the whole text by one event, as a paste does.
      const insert = async (text: string) => {
        await visit.page.focus('#addresses');
        await visit.page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(text)})`);
      };
      for (const before of ['', `${WALLETS.busy} `]) {
        if (before !== '') await insert(before);
        await insert(phrase);
        assert.equal(await value(), '');
        assert.match(
          (await visit.texts('#addresses-faults')).join(),
          /^This looked like a recovery phrase, so the field/,
        );
      }
      await visit.page.keyboard.press('Enter');
      assert.match((await visit.texts('#addresses-faults')).join(), /^Paste at least one address/);
      assert.deepEqual(await visit.accessibility(), []);
      const stored = await visit.page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
      );
      assert.doesNotMatch([stored, visit.page.url(), ...sent].join(), /winner/);
      await visit.close();
    });

    test('shows the last recorded year of a link without days, whatever the clock says', async () => {
      const extension = async (page: Page) =>
        void (await page.evaluateOnNewDocument(`{
          const RealDate = Date;
          globalThis.Date = class extends RealDate {
            constructor(...given) { super(...(given.length > 0 ? given : [RealDate.UTC(2031, 4, 1)])); }
            static now() { return RealDate.UTC(2031, 4, 1); }
          };
        }`));
      const visit = await browser.open(`/#addresses=${WALLETS.light}`, { extension });
      await visit.settled();
      const { index_end } = (await (await fetch(`${server.base}/report/dataset.json`)).json()) as Index;
      assert.deepEqual(await visit.texts('h1'), [`Your ${index_end.slice(0, 4)} so far`]);
      assert.deepEqual(await formOf(visit), [WALLETS.light, index_end.slice(0, 4)]);
      await visit.close();
    });

    test('shows no sums of a link one of whose addresses is mistyped, and says which', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light},${MISTYPED}&year=2025`);
      assert.match(
        (await visit.texts('.faults')).join(),
        new RegExp(`${MISTYPED.slice(-6)} is not a complete address`),
      );
      assert.deepEqual(await formOf(visit), [`${WALLETS.light},${MISTYPED}`, '2025']);
      assert.equal((await visit.texts('.sheets')).length, 0);
      await visit.close();
    });

    test('offers for a validator its statement and its own wallet, keeps what was typed, and takes the focus along', async () => {
      const visit = await browser.open('/');
      await visit.page.type('#addresses', `${WALLETS.light} ${OPERATORS.alpha}`);
      await visit.page.keyboard.press('Enter');
      await visit.page.waitForSelector('.offers');
      assert.deepEqual((await formOf(visit))[0], `${WALLETS.light} ${OPERATORS.alpha}`);
      const link = await visit.page.$eval('.offers a', (a) => a.getAttribute('href'));
      assert.equal(link, `/validator/${OPERATORS.alpha}`);
      const [own] = await visit.page.$$('.offers button');
      await visit.click(own!);
      await visit.settled();
      const wallet = bech32.encode('cosmos', bech32.decode(OPERATORS.alpha as 'a1a').words);
      assert.equal((await formOf(visit))[0], `${WALLETS.light}\n${wallet}`);
      assert.equal(await visit.page.evaluate('document.activeElement.tagName'), 'H1');
      await visit.close();
    });

    test('says which days are recorded, and that no figure speaks of others', async () => {
      const dataset = (await (await fetch(`${server.base}/report/dataset.json`)).json()) as Index;
      const [first, last] = [readableDay(dataset.index_start), readableDay(dataset.index_end)];
      for (const [days, words] of [
        ['year=2026', /, recorded up to /],
        ['start=2020-01-01&end=2026-01-10', new RegExp(`, recorded from ${first}$`)],
        ['start=2020-01-01&end=2030-01-10', new RegExp(`, recorded from ${first} up to ${last}$`)],
        ['year=2020', /, not recorded$/],
        ['year=2031', /, not recorded$/],
      ] as const) {
        const visit = await browser.open(`/#addresses=${WALLETS.light}&${days}`);
        await visit.settled();
        assert.match(await lead(visit), words);
        const isOutside = words.source.includes('not recorded');
        const notice = (await visit.texts('.sheets > .notice')).join();
        assert.equal(/^These days are not recorded\. There is no data for them\./.test(notice), isOutside);
        assert.equal((await visit.texts('.sheets .figure')).length === 0, isOutside, 'a zero would be taken for one');
        if (days === 'start=2020-01-01&end=2026-01-10') {
          await visit.unfold();
          const charted = await visit.texts('.charts > :nth-child(3) tbody th');
          assert.equal(charted[0], dataset.index_start, 'a chart begins with the first recorded day');
        }
        await visit.close();
      }
    });

    test('counts in each tab what was answered in the others', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      const page = await visit.page.browserContext().newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.setViewport({ width: 1440, height: 900 });
      await page.goto(visit.page.url());
      const other = new Proxy(visit, { get: (target, name) => (name === 'page' ? page : Reflect.get(target, name)) });
      await other.settled();
      const chosen =
        '[...document.querySelectorAll(".rows tbody select")].filter(({ value }) => value === "gift").length';
      await tagRow(visit, 0);
      await page.bringToFront();
      await page.waitForFunction(`${chosen} === 1`);
      await tagRow(other, 1);
      await visit.page.bringToFront();
      await visit.settled();
      await visit.page.waitForFunction(`${chosen} === 2`);
      assert.equal(Object.keys((await visit.stated()).tags).length, 2);
      await page.close();
      await visit.close();
    });

    test('says where a browser keeps nothing that answers are gone with the page', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension: keepingNothing });
      await visit.settled();
      assert.match((await visit.texts('#settle')).join(), /This browser stores nothing: your answers are lost/);
      await tagRow(visit, 0);
      await visit.close();
    });
  });
}
