/** Several wallets of one account in a real browser: what is said about one is no other's, and little is asked for many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HTTPRequest } from 'puppeteer-core';
import { WALLETS } from '../../harness.js';
import { makeWallet } from '../../people/accounts/wallet.js';
import { recordedEvents } from '../../published.js';
import { describeAccount } from './pages/account-pages.js';
import { type Visit, watchFor } from './pages/browser.js';

const { flagged, light, silent } = WALLETS;
const RECEIPT = recordedEvents(flagged)[0]!.id;
const ALL = { '*': { mode: 'exclude' } };
const PATH = '/api/tax/v1/saved-decisions';
const isSaved = (url: string) => /\/tax\/v1\/saved-/.test(url);

describeAccount('several wallets', (pages) => {
  const report = async ({ page }: Visit, ...addresses: string[]) => {
    await page.goto('about:blank');
    await page.goto(`${pages.server.base}/#addresses=${addresses.join(',')}&year=2026`);
  };
  const ask = async ({ page }: Visit, path: string, body: object) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return JSON.parse(
      String(
        await page.evaluate(`fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then((answer) => answer.text())`),
      ),
    );
  };
  const read = (visit: Visit, address: string) => ask(visit, `${PATH}/read`, { address });
  const save = (visit: Visit, address: string, decisions: object) => ask(visit, PATH, { address, decisions });
  const addressIn = (request: HTTPRequest): string => JSON.parse(request.postData()!).address;
  /** Collects the requests of a page from now on. */
  const requestsOf = ({ page }: Visit) => {
    const requests: HTTPRequest[] = [];
    page.on('request', (request) => void requests.push(request));
    return requests;
  };

  test('what was decided about one wallet is neither saved nor sent with another', async () => {
    const visit = await pages.signIn();
    await save(visit, flagged, ALL);
    await report(visit, flagged);
    await visit.settled();
    assert.match((await visit.texts('.question:has(#receipts) .count')).join(), /^settled$/, 'decided, all at once');
    assert.ok(await visit.page.$('.file button:enabled'));
    await visit.unfold('Suspicious incoming transfers');
    await visit.press('Keep', '#asked');
    await visit.settled();
    const requests = requestsOf(visit);
    await report(visit, light);
    await visit.settled();
    const choice = (await visit.page.$('.rows tbody select'))!;
    await choice.focus();
    await choice.select('gift');
    await visit.page.waitForSelector('.bar-of-changes');
    await visit.settled();
    const bodies = requests.map((request) => request.postData() ?? '').filter((body) => body.includes(light));
    assert.ok(bodies.length > 2 && bodies.some((body) => body.includes('gift')));
    assert.deepEqual(
      bodies.filter((body) => body.includes(RECEIPT)),
      [],
    );
    assert.deepEqual((await read(visit, light)).decisions, {});
    assert.deepEqual((await read(visit, flagged)).decisions, { ...ALL, [RECEIPT]: { mode: 'keep' } });
    await save(visit, flagged, {});
    await visit.close();
  });

  test('of fifty wallets those are asked for about which something is saved, and one answer saves one entry', async () => {
    const visit = await pages.signIn();
    await save(visit, flagged, ALL);
    await save(visit, silent, ALL);
    const others = await Promise.all(Array.from({ length: 47 }, async () => (await makeWallet()).address));
    const requests = requestsOf(visit);
    await report(visit, light, flagged, silent, ...others);
    await visit.settled();
    const asked = requests.filter((request) => isSaved(request.url()));
    assert.deepEqual(asked.map(addressIn), [flagged, silent]);
    await visit.unfold('Suspicious incoming transfers');
    await visit.press('Keep', '#asked');
    await visit.page.waitForSelector('.bar-of-changes');
    await visit.settled();
    const changes = requests.filter((request) => request.url() === pages.server.base + PATH);
    assert.deepEqual(changes.map(addressIn), [flagged]);
    await save(visit, flagged, {});
    await save(visit, silent, {});
    await visit.close();
  });

  test('what is saved is read a few at a time, and none of it while the server asks for patience', async () => {
    const visit = await pages.signIn();
    const addresses = await Promise.all(Array.from({ length: 12 }, async () => (await makeWallet()).address));
    for (const address of addresses) await save(visit, address, ALL);
    await visit.page.setRequestInterception(true);
    const times: number[] = [];
    const held: (() => unknown)[] = [];
    let most = 0;
    visit.page.on('request', (request) => {
      if (!isSaved(request.url())) return void request.continue();
      times.push(performance.now());
      const isOver = times.length > 4 && times.length <= 8;
      const body = JSON.stringify({ status: 429, detail: 'over the quota', retry_after: 2 });
      const answer = () =>
        isOver ? request.respond({ status: 429, contentType: 'application/problem+json', body }) : request.continue();
      // Answers four at once, after a moment in which a fifth could arrive.
      if (held.push(answer) !== 4) return;
      setTimeout(() => {
        most = Math.max(most, held.length);
        for (const each of held.splice(0)) void each();
      }, 100);
    });
    await watchFor(/your saved data, \d+ of 12…|retrying in/)(visit.page);
    await report(visit, ...addresses);
    await visit.page.waitForFunction('wasShown');
    await visit.settled();
    assert.equal(most, 4);
    assert.equal(times.length, 16, 'the four that were refused are asked again');
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    assert.ok(Math.max(...pauses) >= 2000, `waited ${Math.max(...pauses)} ms`);
    await visit.page.browserContext().close(); // the refusals are errors of its console
  });
});
