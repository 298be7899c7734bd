/** Signing in, in a real browser: the ways that are offered, and what a person sees when one of them fails. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { addAccount, makeLink } from '../../../../server/people/accounts/accounts.js';
import { programs } from '../../../requirements.js';
import { until } from '../../../until.js';
import { CLIENT, type RunningProvider, startProvider } from '../../people/accounts/openid-provider.js';
import { NOW } from '../../people/accounts/signed-in.js';
import { AccountPages, signIn } from './pages/account-pages.js';
import { type Visit, watchFor } from './pages/browser.js';

const headingOf = async (visit: Visit) => (await visit.texts('h1'))[0];

for (const program of programs('browser')) {
  describe('signing in', () => {
    const pages = new AccountPages();
    let provider: RunningProvider;
    before(async () => {
      await pages.start(program, async (base) => {
        provider = await startProvider(`${base}/api/account/v1/oidc/callback`);
        return {
          HUBLEDGER_OIDC_ISSUER: provider.issuer,
          HUBLEDGER_OIDC_CLIENT_ID: CLIENT.id,
          HUBLEDGER_OIDC_CLIENT_SECRET: CLIENT.secret,
        };
      });
    });
    after(async () => {
      await pages.stop();
      await provider.stop();
    });

    const newLink = async () => {
      const { store } = pages.server;
      return `/api/account/v1/link/${await makeLink(store, await addAccount(store, NOW), NOW)}`;
    };

    test('at the provider leads there and back, signed in', async () => {
      const visit = await pages.browser.open('/account', { leaves: true });
      await visit.requireEveryLook('sign-in-openid');
      const { host } = new URL(provider.issuer);
      await visit.press(`Sign in with ${host}`);
      await visit.page.waitForSelector('input[name=login]');
      await visit.page.type('input[name=login]', 'erin');
      await visit.page.type('input[name=password]', 'any');
      await visit.page.keyboard.press('Enter');
      await visit.page.waitForSelector('button[autofocus]:not(.button)');
      await visit.page.locator('button[autofocus]').click();
      await visit.page.waitForSelector('#keys');
      assert.match((await visit.texts('.title .lead'))[0]!, /Signed in as erin/);
      assert.equal(new URL(visit.page.url()).hash, '', 'the mark of the way back is gone');
      await visit.close();
    });

    test('works where the browser keeps nothing but cookies, and so does signing out', async () => {
      const visit = await pages.visit('/account');
      await visit.page.evaluate(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })",
      );
      await signIn(visit);
      assert.equal((await visit.texts('[role=alert]')).join(), '');
      await visit.press('Sign out');
      await visit.page.waitForSelector('.ways');
      await visit.close();
    });

    test('who refuses at the provider is told so on a page, with a way to begin again', async () => {
      const visit = await pages.browser.open('/account', { leaves: true });
      await visit.press(`Sign in with ${new URL(provider.issuer).host}`);
      await visit.page.waitForSelector('input[name=login]');
      await visit.press('[ Cancel ]');
      await visit.page.waitForSelector('.notice-page');
      assert.equal(await headingOf(visit), 'You are not signed in');
      assert.match((await visit.texts('.notice-page .lead'))[0]!, /^The provider refused: access_denied\.$/);
      await visit.press('Go to sign-in');
      await visit.page.waitForSelector('.ways');
      await visit.close();
    });

    test('by a link is a page with one button, which the keyboard reaches at once', async () => {
      const link = await newLink();
      const visit = await pages.visit('/account');
      await visit.page.goto(pages.server.base + link);
      assert.equal(await headingOf(visit), 'Sign in with this link');
      await visit.requireEveryLook('link');
      await visit.page.keyboard.press('Enter');
      await visit.page.waitForSelector('#keys');
      await visit.close();
    });

    test('by a link that is used up says so, and what else there is', async () => {
      const link = await newLink();
      const first = await pages.visit('/account');
      await first.page.goto(pages.server.base + link);
      await first.press('Sign in');
      await first.page.waitForSelector('#keys');
      await first.close();
      const second = await pages.browser.open('/account', { leaves: true });
      await second.page.goto(pages.server.base + link);
      await second.press('Sign in');
      await second.page.waitForSelector('.notice-page .eyebrow');
      assert.equal(await headingOf(second), 'You are not signed in');
      assert.match(
        (await second.texts('.lead'))[0]!,
        /was already used, is older than a day, or was not copied completely\.$/,
      );
      await second.requireEveryLook('link-over');
      await second.close();
    });

    test('programs get a problem where people get a page', async () => {
      const answer = await pages.server.ask(`/api/account/v1/link/${'A'.repeat(43)}`, { method: 'POST' });
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    });

    test('says so where the browser keeps no session', async () => {
      const visit = await pages.browser.open('/account#signed-in', { leaves: true });
      assert.match((await visit.texts('[role=alert]'))[0]!, /this browser did not store the session/);
      await visit.close();
    });
  });

  describe('without a provider', () => {
    const pages = new AccountPages();
    before(() => pages.start(program));
    after(() => pages.stop());

    test('an account is entered by a signature of the wallet, and left', async () => {
      const visit = await pages.signIn();
      const { address } = pages.wallet;
      assert.ok((await visit.texts('.title .lead'))[0]!.includes(address));
      await visit.press('Sign out');
      await visit.page.waitForFunction('document.querySelector("h1")?.textContent === "Sign in"');
      assert.deepEqual(await visit.texts('[role=status]'), ['You are signed out.']);
      await visit.close();
    });

    test('stays signed in where the server cannot tell for a while, and says so', async () => {
      const visit = await pages.signIn();
      const { page } = visit;
      await page.setRequestInterception(true);
      const refusals = [undefined, 1, undefined];
      page.on('request', (request) => {
        if (!request.url().endsWith('/me') || refusals.length === 0) return void request.continue();
        const body = { status: 503, detail: 'accounts cannot be looked up now', retry_after: refusals.shift() };
        void request.respond({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(body) });
      });
      await page.reload();
      await page.waitForSelector('.account [role=alert]');
      assert.equal(await headingOf(visit), 'Your account');
      assert.match((await visit.texts('[role=alert]'))[0]!, /^Accounts cannot be looked up now\.$/);
      assert.deepEqual(await visit.accessibility(), []);
      await watchFor(/retrying in/)(page);
      await page.reload();
      await page.waitForFunction('wasShown');
      await visit.press('Try again');
      await page.waitForSelector('#keys');
      await page.browserContext().close(); // the refusals are errors of its console
    });

    test('says that it asks who is signed in, and offers to ask again where no answer comes', async () => {
      const visit = await pages.signIn();
      const { page } = visit;
      await page.setRequestInterception(true);
      const held: HTTPRequest[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/me')) held.push(request);
        else void request.continue();
      });
      const answered = async (answer: (request: HTTPRequest) => unknown) => {
        await page.waitForFunction(
          "document.querySelector('#main [role=status]')?.textContent.startsWith('Checking whether')",
        );
        assert.equal(await headingOf(visit), 'Your account');
        await until(() => held.length > 0, 'the page asks who is signed in');
        await answer(held.shift()!);
      };
      await page.reload({ waitUntil: 'domcontentloaded' });
      await page.waitForSelector('.late', { visible: true }); // after five seconds
      assert.deepEqual(await visit.accessibility(), []);
      await visit.requireNarrow();
      await answered((request) => request.abort());
      await page.waitForSelector('.account [role=alert]');
      await visit.press('Try again');
      await answered((request) => request.continue());
      await page.waitForSelector('#keys');
      await page.browserContext().close(); // the request that was cut off is an error of its console
    });

    test('signing out twice, as from two tabs, is to be signed out', async () => {
      const visit = await pages.signIn();
      await visit.page.evaluate("fetch('/api/account/v1/sign-out', { method: 'POST' }).then(() => undefined)");
      await visit.press('Sign out');
      await visit.page.waitForSelector('.ways');
      assert.match((await visit.texts('[role=status]')).join(), /You are signed out\./);
      await visit.page.browserContext().close();
    });

    test('the wallet is offered where there is one, the provider never', async () => {
      const visit = await pages.visit();
      await visit.requireEveryLook('sign-in');
      assert.deepEqual(await visit.texts('.ways h2'), ['With your wallet', 'With a link']);
      await visit.close();
    });

    test('who has no wallet is told so, and can use the report all the same', async () => {
      const requests: string[] = [];
      const extension = async (page: Page) => void page.on('request', (request) => requests.push(request.url()));
      const visit = await pages.browser.open('/account', { extension });
      assert.deepEqual(await visit.texts('.ways h2'), ['With a link']);
      assert.match((await visit.texts('.fine')).join(), /no wallet extension such as Keplr/);
      assert.match((await visit.texts('.lead')).join(), /The report needs no account/);
      assert.ok(requests.some((url) => url.includes('/assets/account-')));
      assert.ok(!requests.some((url) => url.endsWith('/dataset.json')), 'only the report needs the dataset');
      await visit.close();
    });
  });
}
