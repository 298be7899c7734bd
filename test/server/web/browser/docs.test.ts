/** The documentation in a real browser: it can be read by everybody, and searched. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { IS_NIGHT, programs } from '../../../requirements.js';
import { LOOKS } from './pages/browser.js';
import { sharedPages } from './pages/shared-pages.js';

for (const program of programs('browser')) {
  describe('the documentation', () => {
    const { browser } = sharedPages(program);

    for (const { width, scheme } of LOOKS) {
      test(`has no finding of axe at ${width} pixels, ${scheme}`, async () => {
        const start = await browser.open('/docs', { width, scheme });
        const paths: string[] = await start.page.$$eval('.docs-menu a', (all) =>
          all.map((a) => a.getAttribute('href')!),
        );
        await start.close();
        for (const path of IS_NIGHT ? paths : paths.filter((_, i) => i % 8 === 0)) {
          const visit = await browser.open(path, { width, scheme });
          assert.ok((await visit.layoutShift()) < 0.02, path);
          assert.deepEqual(await visit.accessibility(), [], path);
          await visit.requireNarrow(path);
          await visit.close();
        }
      });
    }

    test('fits on a phone of somebody who reads letters twice as large, and so does the landing page', async () => {
      const extension = async (page: Page) => {
        const session = await page.createCDPSession();
        await session.send('Page.enable');
        await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
      };
      for (const path of ['/', '/docs', '/docs/conventions', '/docs/methodology', '/docs/categories']) {
        const visit = await browser.open(path, { width: 360, extension });
        assert.equal(await visit.page.evaluate('getComputedStyle(document.documentElement).fontSize'), '32px');
        const { scrolled, shown } = await visit.page.$eval('html', (root) => {
          return { scrolled: root.scrollWidth, shown: root.getBoundingClientRect().width };
        });
        assert.ok(scrolled <= Math.ceil(shown), `${path} is ${scrolled} pixels wide`);
        await visit.close();
      }
    });

    test('finds what people type', async () => {
      const visit = await browser.open('/docs');
      for (const [typed, path] of [
        ['koinly', '/docs/files#koinly'],
        ['cost basis', '/docs#what-the-words-mean'],
        ['429', '/docs/conventions#rate_limited'],
        ['form 8949', '/docs/files#form-8949'],
        ['retry', '/docs/program#problems-and-limits'],
      ] as const) {
        await visit.fill('#docs-search', typed);
        await visit.page.waitForFunction(`document.querySelector('.found a')?.getAttribute('href') === '${path}'`);
      }
      await visit.close();
    });

    test('shows an example in one language, remembers the language, and copies the code', async () => {
      const visit = await browser.open('/docs');
      await visit.page
        .browserContext()
        .overridePermissions(new URL(visit.page.url()).origin, ['clipboard-read', 'clipboard-sanitized-write']);
      const visible = () =>
        visit.page.$$eval('.codes .code', (all) =>
          all.filter((one) => one.checkVisibility()).map((one) => one.querySelector('figcaption span')!.textContent),
        );
      assert.deepEqual(await visible(), ['curl']);
      await visit.page.locator('.codes label ::-p-text(Python)').click();
      assert.deepEqual(await visible(), ['Python']);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.page.goto(visit.page.url().replace('/docs', '/docs/program'));
      await visit.page.waitForFunction(`document.querySelector('.codes [value=Python]')?.checked`);
      const code = await visit.page.$eval('.codes .code:nth-of-type(3) code', (one) => one.textContent);
      await visit.press('Copy', '.codes .code:nth-of-type(3)');
      await visit.page.waitForSelector('::-p-aria([name="Copied"])');
      assert.equal(await visit.page.evaluate('navigator.clipboard.readText()'), code);
      await visit.close();
    });

    test('finds a problem code, and says which dataset is served', async () => {
      const visit = await browser.open('/docs');
      await visit.page.type('#docs-search', 'asset decisions required');
      await visit.page.waitForSelector('.found a');
      const [first] = await visit.page.$$eval('.found a', (all) => all.map((a) => a.getAttribute('href')));
      assert.equal(first, '/docs/conventions#asset_decisions_required');
      await visit.page.waitForFunction('document.getElementById("status").textContent.includes("h1000-")');
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });
  });
}
