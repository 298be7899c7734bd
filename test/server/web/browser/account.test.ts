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

    test('is entered by a signature, and left', async () => {
      const visit = await pages.signIn();
      const { address } = pages.wallet;
      assert.ok((await visit.texts('.title .lead'))[0]!.includes(address));
      await visit.press('Sign out');
      await visit.page.waitForFunction('document.querySelector("h1").textContent === "Sign in"');
      assert.deepEqual(await visit.texts('[role=status]'), ['You are signed out.']);
      await visit.close();
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
