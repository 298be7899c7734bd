/** The report with wallets that are hard on a page: texts that strangers wrote to do harm, and more rows than fit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { flaggedReceipt, recordedContent, recordedEvents, VALIDATORS } from '../../published.js';
import { sharedPages } from './pages/shared-pages.js';

const HARM = '"><img src=x onerror="document.title=\'harm\'"><script>document.title="harm"</script>\u202e';

/** Times that coins of another wallet are more, so that they are worth billions. */
const VAST = 1_000_000_000n;

/** A wallet whose rows, receipts and validators carry harmful texts wherever strangers can write. */
function harmfulContent() {
  const events = recordedEvents(WALLETS.light).map((event) => ({ ...event, memo: HARM, detail: HARM }));
  const received = events.filter(({ received_denom }) => received_denom !== null);
  const flagged = received.slice(0, 2).map((event) => flaggedReceipt(event, { memo: HARM, claimed_symbol: HARM }));
  const validators = VALIDATORS.map(([operator, , onChain]) => [operator, HARM, onChain] as const);
  const vast = recordedEvents(WALLETS.short).map((event) => ({
    ...event,
    sent_amount: event.sent_amount && event.sent_amount * VAST,
    received_amount: event.received_amount && event.received_amount * VAST,
  }));
  const wallets = { [WALLETS.light]: events, [WALLETS.short]: vast, [WALLETS.big]: recordedEvents(WALLETS.big) };
  return { ...recordedContent(), wallets, flagged, validators };
}

for (const program of programs('browser')) {
  describe('the report', () => {
    const { server, browser } = sharedPages(program, { content: harmfulContent() });

    test('shows what strangers wrote as text', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      await visit.unfold();
      assert.equal((await visit.texts('main img, main script')).length, 0);
      await visit.requireNarrow();
      assert.ok((await visit.texts('.memo q')).every((text) => text.includes('<script>document.title')));
      assert.ok((await visit.texts('.rows .detail')).some((text) => text.includes('<img src=x')));
      await visit.press('Received', '.rows tbody');
      await visit.page.waitForSelector('.panel table');
      assert.ok((await visit.texts('.panel dd')).some((text) => text.includes('<img src=x')));
      assert.doesNotMatch(
        (await visit.texts('body')).join(),
        /\u202e/,
        'no text of a stranger turns around what stands beside it',
      );
      await visit.page.setViewport({ width: 320, height: 900 });
      const panel = await visit.page.$eval('.panel', ({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
      assert.equal(panel[0], panel[1], 'a long word is not cut off');
      await visit.page.setViewport({ width: 1440, height: 900 });
      await visit.page.evaluate("dispatchEvent(new Event('beforeprint'))");
      assert.ok((await visit.texts('.paper td')).length > 10);
      assert.equal((await visit.texts('body img, #page script, .paper script')).length, 0);
      await visit.page.evaluate("dispatchEvent(new Event('afterprint'))");
      assert.match(await visit.page.title(), /^Your 2026 so far · hubledger$/);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });

    test('cuts off no figure of a row and no day, however large and on whatever screen', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.short}&year=2026`);
      await visit.settled();
      assert.ok((await visit.figures('.rows')).some((value) => /^\d{10}/.test(value)));
      for (const width of [320, 360, 480, 768, 1024, 1440]) {
        await visit.page.setViewport({ width, height: 900 });
        const cut = await visit.page.$$eval(
          '.rows tbody td:not(.what)',
          (cells) =>
            cells.filter((cell) => cell.scrollWidth > cell.clientWidth || cell.scrollHeight > cell.clientHeight).length,
        );
        assert.equal(cut, 0, `${width} pixels`);
      }
      await visit.close();
    });

    test('takes what a link or another program says for what it is: text, or nothing', async () => {
      const kept = [{ tags: null, decisions: [], openingLots: HARM }, { tags: { [HARM]: HARM } }, HARM];
      for (const one of kept) {
        const leave = `localStorage.setItem('hubledger.statements', ${JSON.stringify(JSON.stringify(one))})`;
        const extension = async (page: Page) => void (await page.evaluateOnNewDocument(leave));
        const link = `/#addresses=${encodeURIComponent(HARM)},${WALLETS.light}&year=${encodeURIComponent(HARM)}`;
        const visit = await browser.open(link, { extension });
        await visit.page.waitForSelector('h1');
        assert.equal((await visit.texts('body img, #page script')).length, 0);
        assert.match(await visit.page.title(), /^(Your (\d{4}|report) · )?hubledger/);
        await visit.close();
      }
    });

    test('offers to forget answers of an earlier visit that the API refuses', async () => {
      const leave = `localStorage['hubledger.statements'] ??= ${JSON.stringify(JSON.stringify({ tags: { [WALLETS.light]: { [HARM]: HARM } } }))}`;
      const extension = async (page: Page) => void (await page.evaluateOnNewDocument(leave));
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`, { extension });
      await visit.press('Delete my earlier answers');
      await visit.settled();
      assert.equal((await visit.texts('body img, #page script')).length, 0);
      assert.deepEqual((await visit.stated()).tags, {});
      await visit.page.browserContext().close(); // the refusal is an error of its console
    });

    test('renders the rows in view of a long wallet, which comes in parts', async () => {
      const asked = () => server.log.filter(({ path }) => path === '/api/tax/v1/events').length;
      const before = asked();
      const visit = await browser.open(`/#addresses=${WALLETS.big}&year=2026`);
      await visit.page.waitForSelector('.rows table[aria-rowcount="2901"]');
      await visit.settled();
      const rendered = async () => (await visit.texts('.rows tbody tr:not(.spacer)')).length;
      assert.ok((await rendered()) < 60);
      assert.equal(
        await visit.page.$eval('.rows table', (table) => table.getAttribute('aria-rowcount')),
        '2901',
        'with the head',
      );
      await visit.page.evaluate('document.querySelector(".rows").scrollTop = 1e9');
      await visit.page.waitForSelector('.rows tr[aria-rowindex="2901"]');
      assert.ok((await rendered()) < 60);
      assert.equal(asked() - before, 2, 'in parts');
      await visit.page.select('.filters select', 'staking_reward');
      await visit.page.waitForSelector('.rows table[aria-rowcount="601"]');
      await visit.page.evaluate('document.querySelector(".rows").scrollTop = 60 * 300');
      const tag = (await visit.page.waitForSelector('.rows tr[aria-rowindex="305"] select'))!;
      await tag.focus();
      const place = await visit.page.$eval('.rows', (rows) => rows.scrollTop);
      const part = visit.page.waitForResponse((response) => response.url().includes('/api/tax/v1/events'));
      await tag.select('income');
      await part;
      await visit.settled();
      assert.equal(asked() - before, 3, 'a tag asks for its part alone');
      assert.equal(await tag.evaluate((one) => (one as unknown as { value: string }).value), 'income');
      assert.equal(await visit.page.$eval('.rows', (rows) => rows.scrollTop), place, 'and the table stays where it is');
      await visit.close();
    });

    test('scrolls with few elements: those of rows that leave are used again, and tags are listed where one is chosen', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.big}&year=2026`);
      await visit.page.waitForSelector('.rows table[aria-rowcount="2901"]');
      await visit.settled();
      const count = async (selector: string) => (await visit.page.$$(selector)).length;
      const scrollTo = async (row: number) => {
        await visit.page.evaluate(`document.querySelector('.rows').scrollTop = 60 * ${row}`);
        await visit.page.waitForSelector(`.rows tr[aria-rowindex="${row + 5}"]`);
      };
      await scrollTo(100);
      assert.ok((await count('.rows tbody *')) / (await count('.rows tbody tr:not(.spacer)')) < 20, 'elements a row');
      await visit.page.evaluate(`{
        globalThis.added = 0;
        const count = (records) => { for (const { addedNodes } of records) added += addedNodes.length; };
        new MutationObserver(count).observe(document.querySelector('.rows tbody'), { childList: true });
      }`);
      await scrollTo(1000);
      assert.equal(Number(await visit.page.evaluate('added')), 0, 'no row is a new element');
      const tag = (await visit.page.waitForSelector('.rows tr[aria-rowindex="1008"] select'))!;
      const options = () => tag.$$eval('option', (all) => all.length);
      assert.equal(await options(), 1);
      await tag.focus();
      assert.ok((await options()) > 5, 'with the focus the choice is complete');
      const hasFocus = () => tag.evaluate((one) => one === one.ownerDocument.activeElement);
      for (const row of [1001, 1003, 1002, 998]) {
        await scrollTo(row);
        assert.ok(await hasFocus(), `row ${row}`);
      }
      await scrollTo(2000);
      assert.ok(!(await hasFocus()), 'the focus has left with its row');
      await visit.close();
    });
  });
}
