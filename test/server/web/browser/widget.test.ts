/** The widget in a page of another origin, in a real browser. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { HTTPRequest } from 'puppeteer-core';
import { createWidgetKey } from '../../../../server/people/accounts/widget-keys.js';
import { programs } from '../../../requirements.js';
import { OPERATORS, startServer, WALLETS } from '../../harness.js';
import { sharedPages } from './pages/shared-pages.js';

let site: Server;
let origin: string;
let key: string;

/** The figures that the widget shows. */
const SHOWN = `[...document.querySelector('hubledger-income').shadowRoot.querySelectorAll('dd')].map((dd) => dd.textContent)`;
const SAID = `document.querySelector('hubledger-income').shadowRoot.querySelector('.out').textContent`;

test('the widget is one small file', async () => {
  const one = await startServer();
  const response = await fetch(`${one.base}/widget.js`);
  const script = await response.text();
  assert.match(response.headers.get('content-type')!, /^text\/javascript/);
  assert.ok(gzipSync(script).length < 12_000, `${gzipSync(script).length} bytes`);
  assert.doesNotMatch(script, /\bimport\(|eval\(|new Function/);
  await one.close();
});

for (const program of programs('browser')) {
  describe('the widget', () => {
    const { server, browser } = sharedPages(program);
    before(async () => {
      site = createServer((request, response) => {
        const language = request.url!.slice(1) || 'en';
        const element = `<hubledger-income api-key="${key}"></hubledger-income>`;
        const policy = `default-src 'none'; script-src ${server.base}; connect-src ${server.base}`;
        response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
        response.end(
          `<!doctype html><html lang="${language}"><title>A validator</title><script src="${server.base}/widget.js" defer></script><main class="docs"><h1>A validator</h1>${element}</main>`,
        );
      });
      await once(site.listen(0, '127.0.0.1'), 'listening');
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const wanted = { validator: OPERATORS.alpha, origins: [origin] };
      ({ key } = await createWidgetKey(server.store, wanted, new Date('2026-06-01T00:00:00Z')));
    });
    after(() => {
      site.closeAllConnections();
      site.close();
    });

    test('shows a delegator’s income in the page’s language, under a strict policy of that page', async () => {
      const report = await (
        await fetch(`${server.base}/api/tax/v1/delegator-report?address=${WALLETS.busy}&api_key=${key}`)
      ).json();
      const { rewards_amount, rewards_usd, taxable_events } = report as Record<string, string>;
      for (const [language, comma] of [
        ['en', '.'],
        ['de', ','],
      ] as const) {
        const visit = await browser.openAt(`${origin}/${language}`);
        await visit.page.locator('hubledger-income >>> input').fill(WALLETS.busy);
        await visit.page.locator('hubledger-income >>> button').click();
        await visit.page.waitForFunction(`${SHOWN}.length >= 3`);
        const [amount, usd, count] = (await visit.page.evaluate(SHOWN)) as string[];
        assert.equal(amount, `${rewards_amount!.replace('.', comma)} ATOM`);
        assert.equal(usd, `${rewards_usd!.replace('.', comma)} USD`);
        assert.equal(count, String(taxable_events));
        assert.deepEqual(await visit.accessibility(), []);
        await visit.page.browserContext().close();
      }
    });

    test('says what is wrong with an address', async () => {
      const visit = await browser.openAt(`${origin}/fr`);
      await visit.page.locator('hubledger-income >>> input').fill('cosmos1');
      await visit.page.locator('hubledger-income >>> button').click();
      assert.match(String(await visit.page.evaluate(SAID)), /adresse du Cosmos Hub/);
      await visit.page.browserContext().close();
    });

    test('shows the figures of the address asked for last, whichever answer comes first', async () => {
      const visit = await browser.openAt(`${origin}/en`);
      const held: HTTPRequest[] = [];
      await visit.page.setRequestInterception(true);
      visit.page.on('request', (request) => {
        if (request.url().includes(WALLETS.busy)) held.push(request);
        else void request.continue();
      });
      for (const wallet of [WALLETS.busy, WALLETS.light]) {
        await visit.page.locator('hubledger-income >>> input').fill(wallet);
        await visit.page.locator('hubledger-income >>> button').click();
      }
      await visit.page.waitForFunction(`${SHOWN}.length >= 3`);
      const shown = await visit.page.evaluate(SHOWN);
      const late = visit.page.waitForResponse((response) => response.url().includes(WALLETS.busy));
      await held[0]!.continue();
      await (await late).text();
      await visit.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
      assert.deepEqual(await visit.page.evaluate(SHOWN), shown);
      await visit.page.browserContext().close();
    });

    test('is shown on a page of its own, with the code to copy', async () => {
      const visit = await browser.open('/widget');
      assert.match((await visit.texts('.code')).join(), /src="https:\/\/tax\.example\/widget\.js"/);
      assert.equal(((await visit.page.evaluate(SHOWN)) as string[]).length, 3);
      await visit.page.locator('hubledger-income >>> input').fill(WALLETS.busy);
      await visit.page.locator('hubledger-income >>> button').click();
      await visit.page.waitForFunction(`${SHOWN}.length === 3`);
      assert.match(String(await visit.page.evaluate(SAID)), /^Example figures/, 'the example has no key to ask with');
      assert.deepEqual(await visit.accessibility(), []);
      await visit.requireNarrow();
      await visit.screenshot('widget');
      await visit.close();
    });
  });
}
