/** Saved statements of an account in a real browser: looked at, deleted one by one and all at once, and not saved again by its own copy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { WALLETS } from '../../harness.js';
import { recordedContent } from '../../published.js';
import { describeAccount } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';

const { flagged, light } = WALLETS;
const LOT = { denom: 'uatom', quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' };

describeAccount(
  'saved things',
  (pages) => {
    /** Saves as the page's own scripts do. */
    const put = (page: Page, kind: string, address: string, body: object) =>
      page.evaluate(`fetch('/api/tax/v1/${kind}', {
        method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify({ address, ...body }))},
      }).then(({ status }) => { if (status !== 200) throw new Error(String(status)); })`);
    const openAccount = async (visit: Visit) => {
      await visit.page.goto(`${pages.server.base}/account`);
      await visit.page.waitForSelector('#saved .lead');
      await visit.loaded();
    };
    const report = async (visit: Visit) => {
      await visit.page.goto(`${pages.server.base}/#addresses=${flagged}&year=2026`);
      await visit.settled();
    };
    /** Signs in, keeps a receipt in the report, and comes back. */
    const decideInReport = async () => {
      const visit = await pages.signIn();
      await report(visit);
      await visit.unfold('Suspicious incoming transfers');
      await visit.press('Keep', '#asked');
      await visit.settled();
      await openAccount(visit);
      return visit;
    };
    const entries = (visit: Visit) => visit.texts('#saved .entry h3');
    const lines = (visit: Visit) => visit.texts('#saved .entry .line > span');

    test('each wallet is shown with its decisions and costs in words, and each of them is deleted', async () => {
      const visit = await decideInReport();
      await put(visit.page, 'saved-decisions', light, { decisions: { '*': { mode: 'exclude' } } });
      await put(visit.page, 'saved-opening-lots', light, { opening_lots: [LOT] });
      await openAccount(visit);
      assert.equal((await entries(visit)).length, 2);
      for (const entry of ['#saved .entry:nth-child(1)', '#saved .entry:nth-child(2)']) {
        await visit.click((await visit.page.waitForSelector(`${entry} summary`))!);
        await visit.page.waitForSelector(`${entry} .line`);
        await visit.loaded();
        // What comes into an entry moves the next one: all of it is there before that is clicked.
        await visit.page.waitForFunction(
          'document.querySelector("#saved")?.textContent.includes("Transaction ") === false',
        );
      }
      const [lot, receipt, rest] = (await lines(visit)).sort((one, other) => one.length - other.length);
      assert.match(receipt!, /^[\d.]+ \S+, received on \d+ \w+ 2026: kept as it is$/);
      assert.deepEqual(
        [lot, rest],
        [
          '20 ATOM, acquired on 1 Mar 2024 for $200.00',
          'Every suspicious incoming transfer without a decision of its own: left out',
        ],
      );
      await visit.requireEveryLook('saved');
      await visit.press(`Delete ${lot}`);
      await visit.page.waitForFunction(
        'document.querySelector("#saved")?.textContent.includes("ATOM, acquired") === false',
      );
      await visit.press(`Delete ${rest}`);
      await visit.page.waitForFunction('document.querySelectorAll("#saved .entry").length === 1');
      await pages.confirm(visit, `Delete the saved data of ${flagged}`, 'Delete it');
      assert.deepEqual(await entries(visit), []);
      await report(visit);
      await openAccount(visit);
      assert.deepEqual(await entries(visit), [], 'the copy of this browser is forgotten, too');
      await visit.close();
    });

    test('all of it goes at once, tags of this browser too', async () => {
      const visit = await decideInReport();
      await visit.page.evaluate(`{
        const kept = JSON.parse(localStorage.getItem('hubledger.statements'));
        localStorage.setItem('hubledger.statements', JSON.stringify({ ...kept, tags: { cosmos1: { 'row-1': 'gift', 'row-2': 'donation' } } }));
      }`);
      await openAccount(visit);
      assert.match(
        (await visit.texts('#saved > .log summary'))[0]!,
        /^2 tags on transactions, stored only in this browser$/,
      );
      await visit.click((await visit.page.waitForSelector('#saved > .log summary'))!);
      await visit.press('Delete Transaction row-1: gift');
      assert.deepEqual(Object.keys((await visit.stated()).tags), ['row-2']);
      await pages.confirm(visit, 'Delete all saved data', 'Delete it');
      assert.deepEqual(await entries(visit), []);
      const { decisions, tags } = await visit.stated();
      assert.deepEqual([decisions, tags], [{}, {}]);
      await visit.close();
    });

    test('answers count and stay in the browser where the session was ended elsewhere', async () => {
      const visit = await pages.signIn();
      await report(visit);
      await visit.page.evaluate("fetch('/api/account/v1/sign-out', { method: 'POST' }).then(() => undefined)");
      await visit.unfold('Suspicious incoming transfers');
      await visit.press('Keep', '#asked');
      await visit.page.waitForSelector('.bar-of-changes');
      assert.match((await visit.texts('.changes')).join(), /^Your answer is applied\./);
      assert.match((await visit.texts('#settle')).join(), /Your answers are stored in this browser\./);
      assert.equal(Object.keys((await visit.stated()).decisions).length, 1);
      await visit.page.browserContext().close(); // the refusal is an error of its console
    });

    test('by keyboard alone a wallet is looked at and forgotten', async () => {
      const visit = await pages.signIn();
      await put(visit.page, 'saved-decisions', light, { decisions: { '*': { mode: 'exclude' } } });
      await openAccount(visit);
      const { keyboard } = visit.page;
      await pages.tabTo(visit, `Saved data of ${light}`);
      await keyboard.press('Enter');
      await visit.page.waitForSelector('#saved .line');
      await keyboard.down('Shift');
      await keyboard.press('Tab');
      await keyboard.up('Shift');
      await keyboard.press('Enter');
      await visit.page.waitForSelector('dialog[open]');
      await pages.tabTo(visit, 'Delete it');
      await keyboard.press('Enter');
      await visit.page.waitForFunction('document.activeElement.id === "saved-title"');
      assert.deepEqual(await entries(visit), []);
      await visit.close();
    });
  },
  { ...recordedContent(), opening: { [light]: { uatom: '30000000' } } },
);
