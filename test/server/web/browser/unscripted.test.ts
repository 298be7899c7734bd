/** The pages where their scripts do not run: the browser runs none, or none of them arrives. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CDPSession, Page } from 'puppeteer-core';
import { programs } from '../../../requirements.js';
import type { Visit } from './pages/browser.js';
import { sharedPages } from './pages/shared-pages.js';

const PAGES = ['/', '/holdings', '/account', '/widget'];

for (const program of programs('browser')) {
  describe('without its script', () => {
    const { server, browser } = sharedPages(program);

    /** The words as a person sees them; '' while they are hidden. */
    const WORDS = `(() => {
      const words = document.querySelector('.unscripted');
      return words && getComputedStyle(words).visibility === 'visible' ? words.textContent : '';
    })()`;
    const open = async (path: string, prepare: (page: Page) => Promise<void>): Promise<Visit> => {
      const visit = await browser.open('/docs', { extension: prepare });
      await visit.page.goto(server.base + path);
      return visit;
    };

    test('a page says what it needs where the browser runs none', async () => {
      for (const path of PAGES) {
        const visit = await open(path, (page) => page.setJavaScriptEnabled(false));
        assert.match(String(await visit.page.evaluate(WORDS)), /needs JavaScript/, path);
        await visit.close();
      }
    });

    test('a page says what to do where its script does not arrive, and nothing of it where it does', async () => {
      for (const path of PAGES) {
        let clock: CDPSession;
        const visit = await open(path, async (page) => {
          await page.setRequestInterception(true);
          page.on('request', (request) =>
            request.url().endsWith('.js') ? void request.abort() : void request.continue(),
          );
          clock = await page.createCDPSession();
          await clock.send('Animation.enable');
          await clock.send('Animation.setPlaybackRate', { playbackRate: 0 });
        });
        assert.equal(await visit.page.evaluate(WORDS), '', path);
        await clock!.send('Animation.setPlaybackRate', { playbackRate: 1 });
        await visit.page.waitForFunction(`${WORDS}.includes('is still loading')`);
        assert.deepEqual(await visit.accessibility(), [], path);
        await visit.screenshot(`unscripted${path.replace('/', '-')}`);
        await visit.page.browserContext().close(); // what is still loading is an error of its console
        const scripted = await browser.open(path);
        assert.ok(!(await scripted.texts('body')).join().includes('is still loading') || path === '/widget', path);
        await scripted.close();
      }
    });
  });
}
