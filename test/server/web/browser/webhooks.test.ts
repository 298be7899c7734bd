/** Webhooks of an account in a real browser: made, tested, changed and deleted, with what failed in plain words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverDue } from '../../../../server/people/webhooks/deliver.js';
import { NOW } from '../../people/accounts/signed-in.js';
import { describeAccount } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';

const URL_OF_ALICE = 'https://ops.example/hooks';

describeAccount('webhooks', (pages) => {
  const make = async (visit: Visit, url: string) => {
    await visit.fill('#webhook-new', url);
    await visit.press('Create webhook');
  };
  /** Makes the attempts that are due. @param status that every receiver answers; null: none does */
  const deliver = (status: number | null) =>
    deliverDue(pages.server.store, () => NOW, undefined, {
      send: async () => {
        if (status === null) throw new Error('no answer over https within 8 seconds');
        return status;
      },
    });
  const logOf = (visit: Visit) => visit.texts('#webhooks .log li');

  test('one is made, tested, changed and deleted', async () => {
    const visit = await pages.signIn();
    await pages.unfold(visit, 'Create a webhook');
    await make(visit, 'http://ops.example/');
    await visit.page.waitForSelector('#webhooks [role=alert]');
    assert.deepEqual(await visit.texts('#webhooks [role=alert]'), ['The URL must be an https URL.']);
    await make(visit, URL_OF_ALICE);
    await visit.page.waitForSelector('#webhooks .secret');
    assert.match((await visit.texts('#webhooks .secret'))[0]!, /^hlsec_/);
    await visit.press(`Send a test to ${URL_OF_ALICE}`);
    await visit.page.waitForSelector('#webhooks .log li');
    assert.match((await logOf(visit))[0]!, /^Pending a test, 1 Jun 2026 00:00 UTC: no attempt yet\.$/);
    await deliver(503);
    await visit.page.waitForSelector('.mark.failed');
    assert.match((await logOf(visit))[0]!, /Failed.*1 attempt.*Your server answered 503/);
    await visit.press(`Send a test to ${URL_OF_ALICE}`);
    await visit.page.waitForSelector('#webhooks .log li:nth-child(2)');
    await deliver(200);
    await visit.page.waitForSelector('.mark.arrived');
    await visit.requireEveryLook('webhooks');

    await pages.unfold(visit, 'Change');
    await visit.click((await visit.page.waitForSelector('#webhooks .entry .list-form input[type=checkbox]'))!);
    await visit.press('Save');
    await visit.page.waitForFunction(
      'document.querySelector("#webhooks .entry .fine")?.textContent.includes("release") === false',
    );
    await pages.confirm(visit, `Rotate ${URL_OF_ALICE}`, 'Rotate');
    await visit.page.waitForSelector('#webhooks .secret');
    assert.match((await visit.texts('#webhooks .entry'))[0]!, /the previous secret also signs until 2 Jun 2026 00:00/);
    await pages.confirm(visit, `Delete ${URL_OF_ALICE}`, 'Delete it');
    assert.deepEqual(await visit.texts('#webhooks .entry'), []);
    await visit.page.browserContext().close(); // its console has the refusal that was provoked
  });

  test('by keyboard alone one is made, tested and deleted', async () => {
    const visit = await pages.signIn();
    const { keyboard } = visit.page;
    await pages.tabTo(visit, 'Create a webhook');
    await keyboard.press('Enter');
    await pages.tabTo(visit, 'URL of your server');
    await keyboard.type(URL_OF_ALICE);
    await keyboard.press('Enter');
    await visit.page.waitForFunction('document.activeElement.matches("#webhooks .notice")');
    await pages.tabTo(visit, `Send a test to ${URL_OF_ALICE}`);
    await keyboard.press('Enter');
    await visit.page.waitForSelector('#webhooks .log li');
    await pages.tabTo(visit, `Delete ${URL_OF_ALICE}`);
    await keyboard.press('Enter');
    await visit.page.waitForSelector('dialog[open]');
    await pages.tabTo(visit, 'Delete it');
    await keyboard.press('Enter');
    await visit.page.waitForFunction('document.activeElement.id === "webhooks-title"');
    assert.deepEqual(await visit.texts('#webhooks .entry'), []);
    await visit.close();
  });

  test('a receiver that is silent is told so, and that tests are limited', async () => {
    const visit = await pages.signIn();
    await pages.unfold(visit, 'Create a webhook');
    await make(visit, URL_OF_ALICE);
    await visit.page.waitForSelector('#webhooks .secret');
    for (let tests = 1; tests <= 5; tests++) {
      await visit.press(`Send a test to ${URL_OF_ALICE}`);
      await visit.page.waitForSelector(`#webhooks .log li:nth-child(${tests})`);
    }
    await deliver(null);
    await visit.page.waitForSelector('.mark.failed');
    assert.match((await logOf(visit))[0]!, /no answer over https within 8 seconds.*valid certificate\?$/);
    await visit.press(`Send a test to ${URL_OF_ALICE}`);
    await visit.page.waitForSelector('#webhooks [role=alert]');
    assert.deepEqual(await visit.texts('#webhooks [role=alert]'), ['At most 5 tests of a webhook per hour.']);
    await visit.page.browserContext().close(); // its console has the refusal that was provoked
  });
});
