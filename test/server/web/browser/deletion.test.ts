/** The deletion of an account in a real browser: told first, confirmed by a typed word, and then nothing is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAccount } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';

describeAccount('deleting an account', (pages) => {
  const cookies = async ({ page }: Visit) => (await page.browserContext().cookies()).map(({ name }) => name);
  const identities = () =>
    pages.server.store.query('identities/find', { provider: 'cosmos', subject: pages.wallet.address });

  test('says first what goes with it, and does nothing before the word is typed', async () => {
    const visit = await pages.signIn();
    const other = await pages.signIn();
    await pages.unfold(visit, 'Delete this account');
    assert.match((await visit.texts('#deletion'))[0]!, /decisions and costs.*keys.*webhooks.*corrections.*sessions/);
    const isOff = () =>
      visit.page.$eval('#deletion button', (button) => (button as unknown as { disabled: boolean }).disabled);
    assert.equal(await isOff(), true);
    await visit.page.type('#deletion-word', 'delet');
    await visit.page.keyboard.press('Enter');
    assert.equal((await identities()).length, 1);
    await visit.requireEveryLook('deletion');
    await visit.page.evaluate(
      'localStorage.setItem("hubledger.statements", JSON.stringify({ tags: { cosmos1: { row: "gift" } } }))',
    );
    await visit.page.type('#deletion-word', 'e');
    assert.equal(await isOff(), false);
    await visit.press('Delete my account');
    await visit.page.waitForSelector('.ways');
    assert.deepEqual(await visit.texts('[role=status]'), ['Your account and all its data are deleted.']);
    await visit.requireEveryLook('deleted');
    assert.deepEqual([await cookies(visit), (await identities()).length], [[], 0]);
    assert.deepEqual((await visit.stated()).tags, {});
    await visit.close();
    await other.page.reload();
    await other.page.waitForSelector('.ways');
    await other.page.browserContext().close(); // its console has the refusal of its session
  });

  test('by keyboard alone, keeping what the browser has', async () => {
    const visit = await pages.signIn();
    const { keyboard } = visit.page;
    await pages.tabTo(visit, 'Delete');
    await keyboard.press('Enter');
    await visit.page.waitForFunction('document.activeElement.id === "deletion-title"');
    await pages.tabTo(visit, 'Delete this account');
    await keyboard.press('Enter');
    await pages.tabTo(visit, 'Also delete the data in this browser: tags, and its copy of decisions and costs');
    await keyboard.press('Space');
    await pages.tabTo(visit, 'To confirm, type “delete”');
    await keyboard.type('DELETE');
    await keyboard.press('Enter');
    await visit.page.waitForSelector('.ways');
    assert.equal((await identities()).length, 0);
    await visit.close();
  });
});
