/** Two devices of one person in real browsers: neither loses what the other one has answered, and each hears of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { PATIENCE_MS } from '../../browser-process.js';
import { WALLETS } from '../../harness.js';
import { recordedEvents } from '../../published.js';
import { describeAccount } from './pages/account-pages.js';
import type { Visit } from './pages/browser.js';

const { flagged } = WALLETS;
const RECEIPT = recordedEvents(flagged)[0]!.id;
const PATH = '/api/tax/v1/saved-decisions';
const [EXCLUDED, KEPT] = [{ mode: 'exclude' }, { mode: 'keep' }];

describeAccount('two devices', (pages) => {
  const report = async (visit: Visit) => {
    await visit.page.goto('about:blank');
    await visit.page.goto(`${pages.server.base}/#addresses=${flagged}&year=2026`);
    await visit.settled();
  };
  /** Signs in on a device whose owner looks at the report. */
  const device = async () => {
    const visit = await pages.signIn();
    await report(visit);
    return visit;
  };
  const ask = (page: Page, path: string, body: object): Promise<unknown> => {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ address: flagged, ...body }),
    };
    return page.evaluate(`fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then((answer) => answer.text())`);
  };
  const saved = async ({ page }: Visit) => JSON.parse(String(await ask(page, `${PATH}/read`, {}))).decisions;
  /** Saves as another device does. */
  const save = ({ page }: Visit, decisions: object) => ask(page, PATH, { decisions });
  const answer = async (visit: Visit, name: string) => {
    await visit.unfold('Suspicious incoming transfers');
    await visit.press(name, '#asked');
    await visit.page.waitForSelector('.bar-of-changes');
    await visit.settled();
  };
  const told = async (visit: Visit) => (await visit.texts('.changes')).join();
  /** Closes a device's page. Its console is not checked, because it names a refused request. */
  const leave = (visit: Visit) => visit.page.browserContext().close();

  test('what another device has answered since the page was loaded stays, and counts here, too', async () => {
    const visit = await device();
    await save(visit, { '*:suspected_spam': EXCLUDED });
    await answer(visit, 'Keep');
    const both = { '*:suspected_spam': EXCLUDED, [RECEIPT]: KEPT };
    assert.deepEqual([await saved(visit), (await visit.stated()).decisions], [both, both]);
    assert.match(
      await told(visit),
      /^Your answer is applied\..*Your answers from another device are applied here, too\./,
    );
    await save(visit, {});
    await leave(visit);
  });

  test('of two answers to one question the later one counts, and the page says so', async () => {
    const visit = await device();
    await save(visit, { [RECEIPT]: EXCLUDED });
    await answer(visit, 'Keep');
    assert.deepEqual(await saved(visit), { [RECEIPT]: KEPT });
    assert.match(
      await told(visit),
      /You answered 1 question differently on another device\. The answers on this page are used\./,
    );
    await save(visit, {});
    await leave(visit);
  });

  test('a copy that is older than what another device has saved does not come back', async () => {
    const [desk, phone] = [await device(), await device()];
    await answer(desk, 'Keep');
    await report(phone);
    assert.deepEqual((await phone.stated()).decisions, { [RECEIPT]: KEPT });
    await answer(phone, 'Leave out');
    await report(desk);
    assert.deepEqual((await desk.stated()).decisions, { [RECEIPT]: EXCLUDED });
    assert.match(await told(desk), /^Your answers from another device are applied here, too\./);
    await save(phone, {});
    await report(desk);
    assert.deepEqual([await saved(desk), (await desk.stated()).decisions], [{}, {}], 'what was deleted stays so');
    for (const visit of [desk, phone]) await visit.close();
  });

  test('a browser that has lost what was stated in it takes nothing back, and gets it from the account', async () => {
    const visit = await device();
    await answer(visit, 'Keep');
    for (const loss of ["removeItem('hubledger.statements')", "setItem('hubledger.statements', '{')"]) {
      await visit.page.evaluate(`localStorage.${loss}`);
      await report(visit);
      const stands = [await saved(visit), (await visit.stated()).decisions];
      assert.deepEqual(stands, [{ [RECEIPT]: KEPT }, { [RECEIPT]: KEPT }]);
    }
    await save(visit, {});
    await visit.close();
  });

  test('two tabs of one browser keep what either is told, and neither saves it again and again', async () => {
    const one = await device();
    const other = await one.page.browserContext().newPage();
    other.setDefaultTimeout(PATIENCE_MS);
    await other.goto(`${pages.server.base}/#addresses=${flagged}&year=2026`);
    await other.waitForSelector('.sheets:not(.stale) #rows');
    await one.page.bringToFront();
    await answer(one, 'Keep');
    const changes = () => pages.server.log.filter(({ method, path }) => method === 'POST' && path === PATH).length;
    await other.bringToFront();
    await other.waitForFunction(`document.querySelector('.bar-of-changes')`);
    await other.evaluate(
      `[...document.querySelectorAll('.choices button')].find((one) => one.textContent === 'Leave out').click()`,
    );
    await one.page.bringToFront();
    await one.page.waitForFunction(`localStorage.getItem('hubledger.statements')?.includes('exclude')`);
    await one.settled();
    // A storage event arrives after all events before it, so a tab that has seen it has begun what those lead to.
    const pass = async (from: Page, to: Page) => {
      await to.evaluate(`{
          globalThis.isSeen = false;
          addEventListener('storage', ({ key }) => { isSeen ||= key === 'turn'; });
        }`);
      await from.evaluate("localStorage.setItem('turn', Math.random())");
      // The default is to look before each frame, and a page in the background has none.
      const polling = { polling: 50 };
      await to.waitForFunction('isSeen', polling);
      const isIdle = "document.querySelector('main') && !document.querySelector('[aria-busy=true]')";
      await to.waitForFunction(isIdle, polling);
    };
    const exchange = async () => {
      await pass(one.page, other);
      await pass(other, one.page);
    };
    await exchange();
    const sent = changes();
    assert.ok(sent > 0);
    for (let i = 0; i < 3; i++) await exchange();
    assert.equal(changes(), sent);
    assert.deepEqual(
      [await saved(one), (await one.stated()).decisions],
      [{ [RECEIPT]: EXCLUDED }, { [RECEIPT]: EXCLUDED }],
    );
    await save(one, {});
    await leave(one);
  });

  test('what this browser forgot while nobody was signed in stays with the account', async () => {
    const visit = await device();
    await answer(visit, 'Keep');
    await visit.page.goto(`${pages.server.base}/account`);
    await visit.press('Sign out');
    await visit.page.waitForSelector('::-p-text(Sign in with my wallet)');
    await visit.page.evaluate("localStorage.removeItem('hubledger.statements')");
    await visit.page.reload();
    await visit.press('Sign in with my wallet');
    await visit.page.waitForSelector('#keys');
    await report(visit);
    assert.deepEqual(await saved(visit), { [RECEIPT]: KEPT });
    await save(visit, {});
    await visit.close();
  });
});
