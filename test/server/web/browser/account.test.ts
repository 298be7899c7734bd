/** An account in a real browser: entered by a wallet that signs for real, with decisions that a fresh browser has. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { AccountPages } from './account-pages.js';

for (const program of programs('browser')) {
  describe('an account', () => {
    let pages: AccountPages;
    before(async () => {
      pages = await AccountPages.start(program);
    });
    after(() => pages.stop());

    test('is entered by a signature, and makes a key that works until it is ended', async () => {
      const page = await pages.signIn();
      await page.page.type('#key-name', 'ledger export');
      await page.press('Make the key');
      await page.page.waitForSelector('.secret');
      const [key] = await page.texts('.secret');
      assert.match(key!, /^hl_/);
      assert.deepEqual(await page.accessibility(), []);
      const asKey = () =>
        fetch(`${pages.server.base}/api/tax/v1/events?address=${WALLETS.light}`, {
          headers: { authorization: `Bearer ${key}` },
        });
      assert.equal((await asKey()).status, 200);
      await page.page.reload();
      await page.page.waitForSelector('#keys td');
      assert.equal((await page.texts('.secret')).length, 0, 'shown once');
      await page.press('End ledger export');
      await page.page.waitForFunction('!document.querySelector("#keys td")');
      assert.equal((await asKey()).status, 401);
      await page.press('Sign out');
      await page.page.waitForFunction('document.querySelector("h1").textContent === "Sign in"');
      await page.close();
    });

    test('keeps decisions, which are there in a fresh browser', async () => {
      const first = await pages.signIn();
      await first.page.goto(`${pages.server.base}/#addresses=${WALLETS.flagged}&year=2026`);
      await first.settled();
      await first.unfold('Suspicious receipts');
      await first.press('Keep', '#asked');
      await first.settled();
      assert.match((await first.texts('#settle')).join(), /Saved with your account/);
      await first.close();
      const second = await pages.signIn();
      await second.page.goto(`${pages.server.base}/#addresses=${WALLETS.flagged}&year=2026`);
      await second.settled();
      const { decisions } = await second.stated();
      assert.deepEqual(
        Object.values(decisions).map(({ mode }) => mode),
        ['keep'],
      );
      await second.close();
    });
  });
}
