/** The report while it waits, and where the server refuses: what it says, and the way on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { type Visit, watchFor } from './pages/browser.js';
import { sharedPages } from './pages/shared-pages.js';

/** Answers of paths in this order; then the server's own. */
const refusing =
  (path: RegExp, ...answers: ((request: HTTPRequest) => void)[]) =>
  async (page: Page) => {
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const answer = path.test(request.url()) ? answers.shift() : undefined;
      answer ? answer(request) : void request.continue();
    });
  };

const problem = (status: number, detail: string, retry_after?: number) => (request: HTTPRequest) =>
  void request.respond({
    status,
    contentType: 'application/problem+json',
    body: JSON.stringify({ detail, retry_after }),
  });

const says = (visit: Visit, words: RegExp) =>
  visit.page.waitForFunction(`${words}.test(document.querySelector('main')?.textContent)`);

for (const program of programs('browser')) {
  describe('the report', () => {
    const { browser } = sharedPages(program);
    const open = (...answers: ((request: HTTPRequest) => void)[]): Promise<Visit> =>
      browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension: refusing(/\/summary/, ...answers) });

    test('says that the server failed, without its words, and tries again when asked to', async () => {
      const visit = await open(problem(500, 'server fault'));
      await says(visit, /The server failed\. Try again in a moment\./);
      await visit.requireEveryLook('failed');
      await visit.press('Try again');
      await visit.settled();
      await visit.page.browserContext().close(); // the refusal is an error of its console
    });

    test('asks again for charts and for the list of files where they did not come', async () => {
      const failed = Array.from({ length: 3 }, () => problem(500, 'server fault'));
      const extension = refusing(/\/(balances|price-series|catalog)/, ...failed);
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension });
      await visit.settled();
      for (const within of ['.charts > :nth-child(2)', '.charts > :nth-child(3)', '#downloads']) {
        await visit.press('Try again', within);
        await visit.page.waitForSelector(`${within} :is(.plot canvas, .file)`);
      }
      assert.equal((await visit.texts('.load-state')).length, 0);
      await visit.page.browserContext().close(); // the refusals are errors of its console
    });

    test('shows the figures of charts that cannot be drawn, and leads past the rows by keys', async () => {
      const extension = refusing(/uPlot/i, (request) => void request.abort());
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension });
      await visit.settled();
      await says(visit, /The chart did not load\. Its figures are in the table\./);
      assert.equal(await visit.page.title(), 'Your 2026 so far · hubledger');
      await visit.page.focus('.skip-rows');
      await visit.page.keyboard.press('Enter');
      assert.equal(await visit.page.evaluate('document.activeElement.id'), 'downloads-title');
      await visit.page.browserContext().close();
    });

    test('names an incomplete wallet above the figures and beside the downloads', async () => {
      const [light, short] = [WALLETS.light, WALLETS.short];
      const wallets = [
        { address: light, state: 'incomplete', missing: ['no node returns the blocks 7'], unconfirmed: [] },
        { address: short, state: 'proved', missing: [], unconfirmed: [] },
      ];
      const whole = await open();
      const dataset = JSON.parse(await whole.page.evaluate(async () => (await fetch('/report/dataset.json')).text()));
      await whole.page.browserContext().close();
      const answer = { contentType: 'application/json', body: JSON.stringify({ ...dataset, wallets }) };
      const extension = refusing(/dataset\.json/, (request) => void request.respond(answer));
      const visit = await browser.open(`/#addresses=${light},${short}&year=2026`, { extension });
      await visit.settled();
      const words = `Transactions of ${light} may be missing: no node returns the blocks 7.`;
      for (const place of ['.notice:has(~ #glance)', '#downloads .notice']) {
        const notices = (await visit.texts(place)).filter((text) => text.includes('may be missing'));
        assert.deepEqual([notices.length, notices[0]?.startsWith(words)], [1, true], place);
      }
      await visit.requireEveryLook('incomplete');
      await visit.page.browserContext().close();
    });

    test('says that it cannot reach the server', async () => {
      const visit = await open((request) => void request.abort());
      await says(visit, /The server cannot be reached\. Are you online\?(?!\.)/);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.page.browserContext().close();
    });

    test('keeps an answer that did not arrive, and counts it when asked to', async () => {
      const visit = await open(
        (request) => void request.continue(),
        (request) => void request.abort(),
      );
      await visit.settled();
      const choice = (await visit.page.$('.rows tbody select'))!;
      await choice.focus();
      await choice.select('gift');
      await visit.page.waitForSelector('.changes .bad');
      assert.match(
        (await visit.texts('.changes')).join(),
        /^Your answer is not applied yet\. Try again The server cannot be/,
      );
      await visit.press('Try again', '.changes');
      await visit.page.waitForSelector('.changes .bar-of-changes:not(.bad)');
      await visit.settled();
      assert.match((await visit.texts('.changes')).join(), /^Your answer is applied\./);
      assert.deepEqual(Object.values((await visit.stated()).tags), ['gift']);
      await visit.page.browserContext().close();
    });

    test('takes what did not come for neither zero, settled nor unpublished, and asks again when asked to', async () => {
      const openWithout = async (path: string) => {
        const extension = refusing(new RegExp(path), problem(500, 'server fault'));
        const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension });
        await visit.page.waitForSelector('.sheets:not(.stale) #rows');
        await says(visit, /The server failed/);
        await visit.loaded();
        return visit;
      };
      const countOf = async (visit: Visit) => (await visit.texts('.question:has(#unknown-costs) .count')).join();
      const whole = await open();
      await whole.settled();
      const expected = await countOf(whole);
      await whole.close();
      for (const path of ['/tax/v1/events', '/report/dataset.json']) {
        const visit = await openWithout(path);
        assert.match(await countOf(visit), /^[1-9]\d* open$/, path);
        if (path.endsWith('events')) assert.doesNotMatch((await visit.texts('.bars')).join(), /\$0\.00/);
        await visit.press('Try again');
        await visit.page.waitForSelector('.rows tbody select');
        assert.equal(await countOf(visit), expected);
        await visit.page.browserContext().close();
      }
      const visit = await openWithout('/price-series');
      assert.doesNotMatch((await visit.texts('.chart')).join(), /No price was published/);
      await visit.page.browserContext().close();
    });

    test('waits as long as the server asks for, counts the seconds, and goes on by itself', async () => {
      const extension = async (page: Page) => {
        await refusing(/\/summary/, problem(429, 'over the quota', 2))(page);
        await watchFor(/The server is busy; retrying in [12] s/)(page);
      };
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension });
      await visit.page.waitForFunction('wasShown');
      await visit.settled();
      await visit.page.browserContext().close();
    });

    test('can be stopped, and begun again', async () => {
      const visit = await open(() => undefined);
      await says(visit, /Calculating your year/);
      await visit.requireEveryLook('under-way');
      await visit.press('Cancel');
      await says(visit, /Stopped before your figures were ready\./);
      await visit.requireEveryLook('stopped');
      await visit.press('Show my year');
      await visit.settled();
      const entries = Number(await visit.page.evaluate('history.length'));
      assert.equal(entries, 2, 'the same wallet is no further page to go back to');
      await visit.close();
    });
  });
}
