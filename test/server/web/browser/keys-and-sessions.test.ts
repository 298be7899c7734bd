/** Keys and sessions of an account in a real browser: made, shown once, renewed and ended, each after a question. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorAccount } from '../../../../pipeline/holdings/modules/validator.js';
import { ensureAccount } from '../../../../server/people/accounts/accounts.js';
import { limitKey } from '../../../../server/people/accounts/keys.js';
import { OPERATORS, WALLETS } from '../../harness.js';
import { NOW } from '../../people/accounts/signed-in.js';
import { describeAccount } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';

const secretOf = async (visit: Visit) => {
  await visit.page.waitForSelector('.secret');
  return (await visit.texts('.secret'))[0]!;
};
const entries = (visit: Visit, section: string) => visit.texts(`#${section} .entry h3`);

describeAccount('keys and sessions', (pages) => {
  const statusOf = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${pages.server.base}/api/account/v1/me`, { headers })).status;
  };
  const make = async (visit: Visit, name: string) => {
    await visit.page.type('#key-name', name);
    await visit.press('Create key');
    return secretOf(visit);
  };

  test('a key is made, shown once, copied, renewed and ended', async () => {
    const visit = await pages.signIn();
    await pages.unfold(visit, 'Create a key');
    await visit.page.select('#key-end', '365');
    const key = await make(visit, 'ledger export');
    assert.match(key, /^hl_/);
    assert.match((await visit.texts('#keys .entry')).join(), /never used, expires on \d+ \w+ \d{4}\./);
    await visit.press('Copy', '#keys');
    await visit.page.waitForSelector('::-p-aria([name="Copied"])');
    await visit.requireEveryLook('keys');
    assert.equal(await statusOf(key), 200);
    await pages.confirm(visit, 'Rotate ledger export', 'Rotate');
    const renewed = await secretOf(visit);
    assert.deepEqual([await statusOf(key), await statusOf(renewed)], [401, 200]);
    await visit.page.reload();
    await visit.page.waitForSelector('#keys .entry');
    assert.equal((await visit.texts('.secret')).length, 0, 'shown once');
    assert.doesNotMatch((await visit.texts('#keys .entry')).join(), /Limit/);
    await limitKey(pages.server.store, renewed.slice(3, 19), { rate_limit: 600, tier: null });
    await visit.page.reload();
    await visit.page.waitForSelector('#keys .entry');
    assert.match((await visit.texts('#keys .entry')).join(), /Limit: 600 requests of the tax API a minute\./);
    await visit.press('Revoke ledger export');
    await visit.page.waitForSelector('dialog[open]');
    assert.match((await visit.texts('dialog[open]'))[0]!, /stop working at once.*cannot be restored/);
    await visit.requireEveryLook('keys-end');
    await visit.press('Cancel', 'dialog[open]');
    assert.equal(await statusOf(renewed), 200, 'nothing happens before it is confirmed');
    await pages.confirm(visit, 'Revoke ledger export', 'Revoke');
    assert.deepEqual([await entries(visit, 'keys'), await statusOf(renewed)], [[], 401]);
    await visit.close();
  });

  test('the operator of a validator makes a widget key for a site, and revokes it', async () => {
    const { store, base } = pages.server;
    const account = await ensureAccount(store, 'cosmos', pages.wallet.address, NOW);
    const subject = operatorAccount(OPERATORS.alpha);
    await store.query('identities/add', { provider: 'cosmos', subject, account, now: NOW });
    const visit = await pages.signIn();
    await visit.page.waitForSelector('#widget-keys');
    await pages.unfold(visit, 'Create a widget key');
    await visit.page.type('#widget-origins', 'https://validator.example/staking\nvalidator.example');
    await visit.press('Create widget key');
    await visit.page.waitForSelector('#widget-keys [role=alert]');
    assert.match((await visit.texts('#widget-keys [role=alert]'))[0]!, /^Each URL must be scheme, host/);
    await visit.fill('#widget-origins', 'https://validator.example/staking');
    await visit.press('Create widget key');
    const key = await secretOf(visit);
    assert.deepEqual(await entries(visit, 'widget-keys'), ['https://validator.example']);
    const statusOfReport = async () => {
      const query = new URLSearchParams({ address: WALLETS.light, api_key: key });
      return (await fetch(`${base}/api/tax/v1/delegator-report?${query}`)).status;
    };
    assert.equal(await statusOfReport(), 200);
    await visit.requireEveryLook('widget-keys');
    await pages.confirm(visit, 'Revoke the widget key for https://validator.example', 'Revoke');
    assert.deepEqual([await entries(visit, 'widget-keys'), await statusOfReport()], [[], 401]);
    await visit.page.browserContext().close(); // the refusal is an error in its console
  });

  test('by keyboard alone a key is made and ended', async () => {
    const visit = await pages.signIn();
    const { keyboard } = visit.page;
    await pages.tabTo(visit, 'Create a key');
    await keyboard.press('Enter');
    await pages.tabTo(visit, 'Name, to recognize it');
    await keyboard.type('by keys');
    await pages.tabTo(visit, 'read contracts wasm:read');
    await keyboard.press('Space');
    await pages.tabTo(visit, 'Create key');
    await keyboard.press('Enter');
    const key = await secretOf(visit);
    assert.match((await visit.texts('#keys .entry'))[0]!, /read contracts/);
    await pages.tabTo(visit, 'Revoke by keys');
    await keyboard.press('Enter');
    await visit.page.waitForSelector('dialog[open]');
    await keyboard.press('Escape');
    await visit.page.waitForSelector('dialog:not([open])');
    await keyboard.press('Enter');
    await visit.page.waitForSelector('dialog[open]');
    await pages.tabTo(visit, 'Revoke');
    await keyboard.press('Enter');
    await visit.page.waitForFunction('document.activeElement.id === "keys-title"');
    assert.equal(await statusOf(key), 401);
    await visit.close();
  });

  test('sessions are listed with the one of this browser marked, and ended one by one or at once', async () => {
    const here = await pages.signIn();
    const others: Visit[] = [await pages.signIn(), await pages.signIn()];
    await here.page.reload();
    await here.page.waitForSelector('#sessions .entry:nth-child(3)');
    const names = await entries(here, 'sessions');
    assert.match(names[0]!, /^Chrome on \w+this browser$/);
    assert.equal(names.filter((name) => name.includes('this browser')).length, 1);
    await here.requireEveryLook('sessions');
    const count = names.length;
    await pages.confirm(here, 'End the session of Chrome on Linux', 'End it');
    assert.equal((await entries(here, 'sessions')).length, count - 1);
    await pages.confirm(here, 'End all others', 'End them');
    assert.equal((await entries(here, 'sessions')).length, 1);
    const [late] = others;
    await pages.unfold(late!, 'Create a key');
    await late!.page.type('#key-name', 'too late');
    await late!.press('Create key');
    await late!.page.waitForSelector('.ways');
    assert.match((await late!.texts('[role=status]'))[0]!, /^Your session ended/);
    for (const other of others) {
      await other.page.reload();
      await other.page.waitForSelector('.ways');
      await other.page.browserContext().close();
    }
    await here.close();
  });
});
