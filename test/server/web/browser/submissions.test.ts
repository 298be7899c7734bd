/** Submissions of an account in a real browser: sent, refused with what is missing, shown with their state, withdrawn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeDesk } from '../../../../server/people/submissions/review-desk.js';
import { OPERATORS } from '../../harness.js';
import { NOW } from '../../people/accounts/signed-in.js';
import { describeAccount } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';

const NOTE = 'We are in Switzerland: https://validator.example/imprint';

describeAccount('submissions', (pages) => {
  const fill = async (visit: Visit, address: string, note: string) => {
    await visit.fill('#submission-address', address);
    await visit.fill('#submission-note', note);
    await visit.press('Send it');
  };
  const marks = (visit: Visit) => visit.texts('#submissions .mark');

  test('one is sent, and its state is shown until it is deleted', async () => {
    const visit = await pages.signIn();
    await pages.unfold(visit, 'Propose a correction');
    await fill(visit, 'cosmosvaloper1', 'somewhere');
    await visit.page.waitForSelector('#submissions [role=alert]');
    const [fault] = await visit.texts('#submissions [role=alert]');
    assert.match(fault!, /^The address must be an address of 20 bytes that begins with cosmosvaloper1/);
    assert.match(fault!, /The note must contain an https URL.*The note must name the country/);
    await visit.requireEveryLook('submission-refused');
    await fill(visit, OPERATORS.alpha, NOTE);
    await visit.page.waitForSelector('#submissions .entry');
    await fill(visit, OPERATORS.alpha, `${NOTE} (again)`);
    await visit.page.waitForSelector('#submissions .entry:nth-child(2)');
    assert.deepEqual(await marks(visit), ['waiting for review', 'waiting for review']);
    const [first, second] = await storeDesk(pages.server.store, { now: () => NOW, tiers: new Map() }).queue();
    const desk = storeDesk(pages.server.store, { now: () => NOW, tiers: new Map() });
    await desk.settle(first!.id, 'accepted', null);
    await desk.settle(second!.id, 'rejected', null);
    await visit.page.reload();
    await visit.page.waitForSelector('#submissions .entry');
    assert.deepEqual((await marks(visit)).sort(), ['accepted', 'not accepted']);
    await visit.requireEveryLook('submissions');
    await visit.press(`Delete the correction about ${OPERATORS.alpha}`);
    await visit.page.waitForSelector('dialog[open]');
    await visit.press('Delete it', 'dialog[open]');
    await visit.page.waitForFunction('document.querySelectorAll("#submissions .entry").length === 1');
    await visit.page.browserContext().close(); // its console has the refusal that was provoked
  });

  test('by keyboard alone one is sent and withdrawn', async () => {
    const visit = await pages.signIn();
    const { keyboard } = visit.page;
    await pages.tabTo(visit, 'Propose a correction');
    await keyboard.press('Enter');
    await pages.tabTo(visit, 'Operator address of the validator, cosmosvaloper1…');
    await keyboard.type(OPERATORS.alpha);
    await pages.tabTo(visit, 'Correct information');
    await keyboard.type(NOTE);
    await pages.tabTo(visit, 'Send it');
    await keyboard.press('Enter');
    await visit.page.waitForFunction(
      '[...document.querySelectorAll("#submissions .mark")].some((mark) => mark.textContent.startsWith("waiting"))',
    );
    await visit.page.focus('#submissions-title');
    await pages.tabTo(visit, `Withdraw the correction about ${OPERATORS.alpha}`);
    await keyboard.press('Enter');
    await visit.page.waitForSelector('dialog[open]');
    await pages.tabTo(visit, 'Withdraw it');
    await keyboard.press('Enter');
    await visit.page.waitForFunction('document.activeElement.id === "submissions-title"');
    assert.ok(!(await marks(visit)).includes('waiting for review'));
    await visit.close();
  });
});
