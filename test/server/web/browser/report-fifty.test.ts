/** Fifty wallets in a real browser: the page folds what it shows of each into one line. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import type { Page } from 'puppeteer-core';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { recordedContent, recordedEvents } from '../../published.js';
import { sharedPages } from './pages/shared-pages.js';

const others = Array.from({ length: 48 }, (_, i) =>
  bech32.encode('cosmos', bech32.toWords(new Uint8Array(20).fill(i + 1))),
);
const FIFTY = [WALLETS.busy, WALLETS.light, ...others];
const busy = recordedEvents(WALLETS.busy);

const content = {
  ...recordedContent(),
  wallets: Object.fromEntries(
    FIFTY.map((address) => [address, busy.map((row) => ({ ...row, address, id: `${row.id}-${address.slice(-8)}` }))]),
  ),
  flagged: [],
  opening: Object.fromEntries(FIFTY.map((address) => [address, { uatom: '5000000' }])),
};

for (const program of programs('browser')) {
  describe('fifty wallets', () => {
    const { server, browser } = sharedPages(program, { content });

    /** Opens a page of a server that was set up for the fifty wallets. */
    const openOwn = async (path: string) => {
      const response = await fetch(`${server.base}/report/dataset.json`);
      const missing = ['5 ATOM arrived before block 900 and are not explained: fetch older blocks'];
      const wallets = FIFTY.map((address) => ({ address, state: 'incomplete', missing, unconfirmed: [] }));
      const body = JSON.stringify({ ...((await response.json()) as object), example: null, wallets });
      return browser.open(path, {
        extension: async (page: Page) => {
          await page.setRequestInterception(true);
          page.on('request', (request) => {
            const isDataset = request.url().endsWith('/dataset.json');
            void (isDataset ? request.respond({ contentType: 'application/json', body }) : request.continue());
          });
        },
      });
    };

    test('have one line each on the first page', async () => {
      const visit = await openOwn('/');
      await visit.page.waitForSelector('.tracked-wallets .lines');
      const heights = await visit.page.$$eval('.tracked-wallets li:has(details)', (all) =>
        all.map((one) => (one as unknown as { offsetHeight: number }).offsetHeight),
      );
      assert.deepEqual([heights.length, new Set(heights).size], [50, 1]);
      const text = 'getComputedStyle(document.querySelector(".tracked-wallets li")).lineHeight';
      assert.ok(heights[0]! < 2 * Number.parseFloat(String(await visit.page.evaluate(text))), String(heights[0]));
      await visit.requireEveryLook('fifty-first');
      await visit.press('All your wallets');
      await visit.settled();
      assert.match((await visit.texts('.notice')).join(), /Transactions of 50 wallets may be missing/);
      await visit.close();
    });

    test('on a phone show the whole step, and a bar of sections that fades where more of them follow', async () => {
      const visit = await browser.open(`/#addresses=${FIFTY.join(',')}&year=2026`, { width: 390 });
      await visit.settled();
      const edges = (selector: string) =>
        visit.page.$eval(selector, (one) => {
          const { left, right } = one.getBoundingClientRect();
          return { left, right, isCut: one.scrollWidth > one.clientWidth };
        });
      assert.match((await visit.texts('.jump > p')).join(), /^Step 2 of 3: 0 of \d answered$/);
      const step = await edges('.jump > p');
      assert.ok(step.left >= 0 && step.right <= 390 && !step.isCut);
      assert.match(
        String(await visit.page.evaluate("getComputedStyle(document.querySelector('.jumps')).maskImage")),
        /gradient/,
      );
      const next = await edges('.jumps > .button');
      assert.ok(next.left >= 0 && next.right < 390, 'the button of the step comes first');
      await visit.page.evaluate("document.querySelector('.jumps').scrollLeft = 9999");
      const [bar, last] = [await edges('.jumps'), await edges('.jumps > :last-child')];
      assert.ok(last.right <= bar.right - 30, 'the last button does not fade at the end');
      await visit.close();
    });

    test('are folded in the report, and every part unfolds', async () => {
      const visit = await browser.open(`/#addresses=${FIFTY.join(',')}&year=2026`);
      await visit.settled();
      assert.deepEqual(await visit.texts('#wallets summary'), ['Show the 50 wallets']);
      assert.equal((await visit.page.$$('.question[open], #wallets tbody tr')).length, 0);
      assert.ok((await visit.texts('.question')).length >= 2);
      await visit.requireEveryLook('fifty-folded');
      await visit.page.locator('#wallets summary').click();
      await visit.page.waitForSelector('#wallets tbody tr:nth-child(50)');
      await visit.pressQuestion('Coins from before the records');
      await visit.page.waitForSelector('.question[open] .how:nth-of-type(50)');
      assert.equal((await visit.page.$$('.question[open] form')).length, 0, 'one line a wallet');
      await visit.page.locator('.question[open] .how:nth-of-type(50) summary').click();
      await visit.page.waitForSelector('.question[open] form.lots');
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });
  });
}
