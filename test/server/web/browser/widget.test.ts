/** The widget in a page of another origin, in a real browser. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { HTTPRequest, Page } from 'puppeteer-core';
import type { DelegatorReport } from '../../../../schemas/types.generated.js';
import { createWidgetKey } from '../../../../server/people/accounts/widget-keys.js';
import { programs } from '../../../requirements.js';
import { OPERATORS, startServer, WALLETS } from '../../harness.js';
import { sharedPages } from './pages/shared-pages.js';

let site: Server;
let origin: string;
let key: string;

/** The figures that the widget shows. */
const SHOWN = `[...(document.querySelector('hubledger-income')?.shadowRoot?.querySelectorAll('dd') ?? [])].map((dd) => dd.textContent)`;
const SAID = `document.querySelector('hubledger-income')?.shadowRoot?.querySelector('.out')?.textContent`;

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
        const { pathname, searchParams } = new URL(request.url!, 'http://validator.example');
        const language = pathname.slice(1);
        const [attributes = '', count = '1', given = key] = ['attributes', 'count', 'key'].map(
          (name) => searchParams.get(name) ?? undefined,
        );
        const element = `<hubledger-income api-key="${given}" ${attributes}></hubledger-income>`.repeat(Number(count));
        const policy = `default-src 'none'; script-src ${server.base}; connect-src ${server.base}`;
        response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
        response.end(
          `<!doctype html><html lang="${language}"><title>A validator</title><script src="${server.base}/widget.js" ${searchParams.has('module') ? 'type="module"' : 'defer'}></script><main class="docs"><h1>A validator</h1>${element}</main>`,
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
        await visit.fill('hubledger-income >>> input', WALLETS.busy);
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

    test('asks the host of its script, with the address in the body, also as a module', async () => {
      for (const how of ['', '?module']) {
        const requests: HTTPRequest[] = [];
        const extension = async (page: Page) => void page.on('request', (request) => requests.push(request));
        const visit = await browser.openAt(`${origin}/en${how}`, { extension });
        await visit.fill('hubledger-income >>> input', WALLETS.busy);
        await visit.page.locator('hubledger-income >>> button').click();
        await visit.page.waitForFunction(`${SHOWN}.length >= 3`);
        const asked = requests.filter((request) => request.method() === 'POST');
        assert.deepEqual(
          asked.map((request) => [request.url(), request.postData()]),
          [[`${server.base}/api/tax/v1/delegator-report?api_key=${key}`, JSON.stringify({ address: WALLETS.busy })]],
        );
        assert.ok(requests.every((request) => !request.url().includes(WALLETS.busy)));
        assert.ok(
          server.log.every((line) => !JSON.stringify(line).includes(WALLETS.busy)),
          'the log has no wallet',
        );
        await visit.page.browserContext().close();
      }
    });

    test('never asks the host of the page if it cannot know its own', async () => {
      const script = await (await fetch(`${server.base}/widget.js`)).text();
      const visit = await browser.openAt(`${server.base}/widget`, { leaves: true });
      const requests: string[] = [];
      const said: string[] = [];
      visit.page.on('request', (request) => requests.push(request.url()));
      visit.page.on('console', (message) => said.push(message.text()));
      await visit.page.goto('about:blank');
      await visit.page.setContent(`<hubledger-income address="${WALLETS.busy}"></hubledger-income>`);
      await visit.page.evaluate(`new Promise((resolve) => setTimeout(resolve))`);
      await visit.page.evaluate(script);
      await visit.page.waitForFunction(`${SAID}.startsWith('The figures cannot')`);
      assert.deepEqual(
        requests.filter((url) => url !== 'about:blank'),
        [],
      );
      assert.match(said.join(), /load widget\.js by <script/);
      await visit.page.browserContext().close();
    });

    /** Opens a page of the site with elements that show a wallet at once. @returns the page and the requests it makes */
    const openWith = async (attributes: string, more: Record<string, string> = {}, leaves?: true) => {
      const query = new URLSearchParams({ attributes: `address="${WALLETS.busy}" ${attributes}`, ...more });
      const [requests, said]: [URL[], string[]] = [[], []];
      const extension = async (page: Page) => {
        page.on('request', (request) => {
          const url = new URL(request.url());
          if (request.method() === 'POST' && url.pathname.endsWith('/delegator-report')) {
            const given = JSON.parse(request.postData()!) as Record<string, string>;
            requests.push(new URL(`?${new URLSearchParams({ ...given, api_key: key })}`, url));
          }
        });
        page.on('console', (message) => said.push(message.text()));
      };
      const visit = await browser.openAt(`${origin}/en?${query}`, { extension, ...(leaves && { leaves }) });
      return { visit, requests, said };
    };
    const heading = `document.querySelector('hubledger-income')?.shadowRoot?.querySelector('.what')?.textContent`;

    test('each element sends one request, whatever attributes it has', async () => {
      const { visit, requests } = await openWith('start="2026-01-01" end="2026-12-31" scope="validator"', {
        count: '3',
      });
      const all = `[...document.querySelectorAll('hubledger-income')]`;
      await visit.page.waitForFunction(`${all}.every((one) => one.shadowRoot?.querySelector('dd'))`);
      assert.equal(requests.length, 3);
      await visit.page.evaluate(`for (const one of ${all}) {
        one.setAttribute('scope', 'wallet');
        one.setAttribute('start', '2026-02-01');
        one.setAttribute('end', '2026-02-28');
      }`);
      await visit.page.waitForFunction(`${heading}?.match(/^1.+28 Feb 2026 · from all/)`);
      assert.equal(requests.length, 6);
      await visit.page.evaluate(`${all}[0].setAttribute('lang', 'de')`);
      await visit.page.waitForFunction(`${heading}?.endsWith('von allen Validatoren')`);
      assert.equal(requests.length, 6, 'the same figures in another language');
      await visit.page.browserContext().close();
    });

    test('names the period and the validator, offers years, and links to the whole report', async () => {
      const { visit, requests } = await openWith('start="2026-01-01" end="2026-12-31" scope="validator"');
      await visit.page.waitForFunction(heading);
      const { moniker, coverage } = (await (await fetch(requests[0]!)).json()) as DelegatorReport;
      assert.equal(await visit.page.evaluate(heading), `1 Jan – 31 Dec 2026 · from ${moniker} only`);
      assert.equal(coverage.range_complete, false);
      assert.match(String(await visit.page.evaluate(SAID)), /Recorded so far: 1 Jan – \d+ \w+ 2026/);
      const link = `document.querySelector('hubledger-income').shadowRoot.querySelector('a').href`;
      const report = `${server.base}/#addresses=${WALLETS.busy}&start=2026-01-01&end=2026-12-31`;
      assert.equal(await visit.page.evaluate(link), report);
      const [select] = await visit.page.$$('hubledger-income >>> select');
      assert.deepEqual(await select!.$$eval('option', (all) => all.map((one) => one.textContent)), [
        '1 Jan – 31 Dec 2026',
        '2026',
        '2025',
      ]);
      await select!.select('2025');
      await visit.page.waitForFunction(`${heading}?.startsWith('1 Jan – 31 Dec 2025')`);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.page.browserContext().close();
    });

    test('the console says why the service refused, in every case', async () => {
      const foreign = await createWidgetKey(
        server.store,
        { validator: OPERATORS.alpha, origins: ['https://other.example'] },
        new Date('2026-06-01T00:00:00Z'),
      );
      for (const [given, attributes, reason] of [
        [`${key.slice(0, -2)}AA`, '', 'the key is unknown or revoked (invalid_api_key)'],
        [foreign.key, '', `the key is not for pages of "${origin}": create one for this origin (forbidden)`],
        [key, 'start="yesterday"', 'start: must be YYYY-MM-DD'],
      ] as const) {
        const { visit, said } = await openWith(attributes, { key: given }, true);
        await visit.page.waitForFunction(`${SAID}.startsWith('The figures cannot')`);
        assert.ok(
          said.some((one) => one.startsWith(`<hubledger-income>: ${reason}`)),
          said.join('\n'),
        );
        await visit.page.browserContext().close();
      }
    });

    test('says what is wrong with an address', async () => {
      const visit = await browser.openAt(`${origin}/fr`);
      await visit.fill('hubledger-income >>> input', 'cosmos1');
      await visit.page.locator('hubledger-income >>> button').click();
      assert.match(String(await visit.page.evaluate(SAID)), /adresse du Cosmos Hub/);
      await visit.page.browserContext().close();
    });

    test('shows the figures of the address asked for last, whichever answer comes first', async () => {
      const visit = await browser.openAt(`${origin}/en`);
      const held: HTTPRequest[] = [];
      await visit.page.setRequestInterception(true);
      visit.page.on('request', (request) => {
        if (request.postData()?.includes(WALLETS.busy)) held.push(request);
        else void request.continue();
      });
      for (const wallet of [WALLETS.busy, WALLETS.light]) {
        await visit.fill('hubledger-income >>> input', wallet);
        await visit.page.locator('hubledger-income >>> button').click();
      }
      await visit.page.waitForFunction(`${SHOWN}.length >= 3`);
      const shown = await visit.page.evaluate(SHOWN);
      const late = visit.page.waitForResponse((response) => response.request() === held[0]);
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
      await visit.fill('hubledger-income >>> input', WALLETS.busy);
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
