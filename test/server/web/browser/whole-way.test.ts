/** The whole way in a real browser, on the whole sample: from pasted addresses to a fresh browser that knows every answer of their owner. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { programs } from '../../../requirements.js';
import { makeWallet } from '../../people/accounts/wallet.js';
import { extensionOf, signIn } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';
import {
  addressOf,
  bodyOf,
  DOUBTFUL,
  downloadAll,
  grouped,
  printed,
  SamplePages,
  shownGlance,
} from './pages/sample-pages.js';

/** A wallet with three kinds of questions, and two of one owner with transfers between them. */
const WALLETS = [DOUBTFUL, addressOf('heavy1'), addressOf('heavy1second')];

let pages: SamplePages;

/** Requires that the page shows what the API says with all answers that the page keeps. */
async function requireFigures(visit: Visit, what: string): Promise<void> {
  await visit.settled();
  assert.deepEqual(await shownGlance(visit), await pages.glance(bodyOf(WALLETS, await visit.stated())), what);
}

/** Answers a question of each kind. */
async function settle(visit: Visit): Promise<void> {
  await visit.unfold('Suspicious incoming transfers');
  await visit.press('Keep', '#asked .item:nth-child(1)');
  await requireFigures(visit, 'kept');
  await visit.press('Correct…', '#asked .item:nth-child(2)');
  await visit.page.type('#asked .inline-form .field:nth-child(3) input', '12.50');
  await visit.requireEveryLook('way-correcting');
  await visit.press('Correct', '#asked .inline-form');
  await requireFigures(visit, 'corrected');
  await visit.press('Leave out', '#asked .item:nth-child(3)');
  await requireFigures(visit, 'left out');
  await visit.press('All mine: carry the cost over');
  await requireFigures(visit, 'carried along');
  await visit.unfold();
  await visit.paste('form.lots', 'amount;date;cost\n1;2024-05-03;5.50\n');
  await visit.press('Use these costs', 'form.lots');
  await requireFigures(visit, 'coins from before the records');
  await visit.page.select('.said select', 'income');
  await requireFigures(visit, 'received as income');
  await visit.requireEveryLook('way-settled');
}

for (const program of programs('browser')) {
  describe('the whole way', () => {
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    test('paste, settle, tag, explain, download, print, sign in, make a key, and find every answer in a fresh browser', async () => {
      const wallet = await makeWallet();
      const visit = await pages.browser.open('/', { extension: extensionOf(wallet) });
      await visit.page.type('#addresses', ` ${WALLETS.join(' , ')} `);
      await visit.press('Show my year');
      await requireFigures(visit, 'at a glance');
      await visit.requireEveryLook('way-glance');
      await settle(visit);

      await visit.page.focus('.rows tbody select');
      await visit.page.select('.rows tbody select:focus', 'gift');
      await requireFigures(visit, 'tagged');
      await visit.click((await visit.page.$('.rows tbody tr:not(.spacer) button'))!);
      await visit.page.waitForSelector('.panel table');
      await visit.page.keyboard.press('Escape');
      await visit.page.waitForFunction('!document.querySelector(".panel")');

      const left = await visit.page.$('#downloads .notice .button');
      if (left) await visit.click(left);
      await requireFigures(visit, 'the rest left out');
      const stated = await visit.stated();
      const texts = await downloadAll(visit);
      for (const [name, text] of await pages.files(bodyOf(WALLETS, stated))) assert.ok(texts.has(text), name);
      const sheets = await printed(visit, join(pages.browser.screenshots, 'whole-way.pdf'));
      for (const _ of programs('pdftotext')) {
        const [income, gain, fees] = await pages.glance(bodyOf(WALLETS, stated));
        for (const figure of [income, gain, fees]) assert.ok(sheets[0]!.includes(grouped(figure!.replace('-', ''))));
        for (const sheet of sheets) assert.ok(WALLETS.every((address) => sheet.includes(address)));
      }

      await visit.page.goto(`${pages.server.base}/account`);
      await signIn(visit);
      await visit.page.locator('summary ::-p-text(Create a key)').click();
      await visit.page.type('#key-name', 'my program');
      await visit.press('Create key');
      await visit.page.waitForSelector('#keys .secret');
      const [key] = await visit.texts('#keys .secret');
      await visit.page.goto(`${pages.server.base}/#addresses=${WALLETS}&year=2026`);
      await requireFigures(visit, 'signed in');
      const saved: string[] = [];
      for (const address of WALLETS) {
        const path = `${pages.server.base}/api/tax/v1/saved-decisions?address=${address}`;
        const answer = await fetch(path, { headers: { authorization: `Bearer ${key}` } });
        const { decisions } = (await answer.json()) as { decisions: object };
        saved.push(...Object.keys(decisions));
      }
      assert.deepEqual(saved.sort(), Object.keys(stated.decisions).sort(), 'a program with the key reads them');
      await visit.close();

      const fresh = await pages.browser.open('/account', { extension: extensionOf(wallet) });
      await signIn(fresh);
      await fresh.page.goto(`${pages.server.base}/#addresses=${WALLETS}&year=2026`);
      await requireFigures(fresh, 'in a fresh browser');
      const known = await fresh.stated();
      assert.deepEqual([known.decisions, known.openingLots], [stated.decisions, stated.openingLots]);
      assert.match(
        (await fresh.texts('#settle')).join(),
        /Your account saves decisions .*\. No server stores your other answers/,
      );
      await fresh.close();
    });
  });
}
