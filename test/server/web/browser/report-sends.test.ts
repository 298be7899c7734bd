/** Sends in a real browser: what the owner says of their receivers counts in every file alike, and in other years. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { EventList, Form8949, Journal, PricedEvent, Summary } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { type Content, recordedContent, recordedEvents } from '../../published.js';
import type { Visit } from './pages/browser.js';
import { bodyOf, shownGlance } from './pages/sample-pages.js';
import { sharedPages } from './pages/shared-pages.js';

const EXCHANGE = 'cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh';
const FRIEND = WALLETS.silent;
const OWN = WALLETS.short;
const SENDER = WALLETS.light;
const RECEIVERS = [EXCHANGE, FRIEND, OWN];

/** A wallet that sends coins of known cost to three receivers in turn, in two years. */
function sendingContent(): Content {
  const events = recordedEvents(SENDER);
  const [sample] = recordedEvents(WALLETS.busy).filter(({ category }) => category === 'staking_reward');
  const sent = events.find(({ category }) => category === 'transfer_out')!;
  const reward = (i: number, time: string) => ({
    ...{ ...sample!, address: SENDER, id: `${i}-${sample!.id}`, height: 1 + i, position: i, time },
    ...{ received_amount: 90_000_000n, received_price: 4_000_000n },
  });
  const send = (i: number, time: string) => ({
    ...{ ...sent, id: `${i}-${sent.id}`, height: 100 + i, position: i, time, to_own_key: false },
    tx_hash: String(i).padStart(64, '0'),
    ...{
      counterparty: RECEIVERS[i % 3]!,
      sent_amount: BigInt(1_000_003 + i),
      sent_denom: 'uatom',
      sent_price: 5_123_457n,
    },
  });
  const rows: PricedEvent[] = [
    ...Array.from({ length: 3 }, (_, i) => reward(i, '2025-10-02 10:00:00')),
    ...Array.from({ length: 6 }, (_, i) => send(i, '2025-11-03 10:00:00')),
    ...Array.from({ length: 6 }, (_, i) => send(6 + i, '2026-02-03 10:00:00')),
  ];
  const received = rows.flatMap((row): PricedEvent[] => {
    if (row.counterparty !== OWN) return [];
    const coins = { received_denom: row.sent_denom, received_amount: row.sent_amount, received_price: row.sent_price };
    const none = { sent_denom: null, sent_amount: null, sent_price: null };
    return [
      {
        ...row,
        ...coins,
        ...none,
        id: row.id.replace(/[^-]*$/, '9'),
        address: OWN,
        counterparty: SENDER,
        category: 'transfer_in',
      },
    ];
  });
  return { ...recordedContent(), wallets: { [SENDER]: rows, [OWN]: received }, flagged: [], opening: {} };
}

for (const program of programs('browser')) {
  describe('the report', () => {
    const { server, browser } = sharedPages(program, { content: sendingContent() });

    const open = async (year: number, addresses = SENDER) => {
      const visit = await browser.open(`/#addresses=${addresses}&year=${year}`);
      await visit.settled();
      return visit;
    };
    const post = async (path: string, body: object): Promise<string> => {
      const response = await fetch(`${server.base}/api/tax/v1/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ start: '2026-01-01', end: '2026-12-31', ...body }),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text;
    };
    const answer = async (visit: Visit, receiver: string, choice: string) => {
      const items = await visit.page.$$eval('.send', (all) => all.map((one) => one.textContent!));
      const place = items.findIndex((text) => text.includes(receiver)) + 1;
      await visit.press(choice, `.send:nth-child(${place})`);
      await visit.settled();
    };

    test('asks what sends were, and says until then that they count as sales', async () => {
      const visit = await open(2026);
      assert.ok((await visit.texts('#open-bar li')).includes('Coins you sent 6'));
      assert.match((await visit.texts('#ready')).join(), /^You can download; 6 sends still count as sales\./);
      const shown = (await visit.texts('.send .counts-as')).join();
      assert.match(shown, /^(Counts as: sold for \$10\.2\d,?){3}$/);
      const rows = (await visit.texts('.rows td.number.wide-only')).filter((text) => text.endsWith('sold'));
      assert.equal(rows.length, 6);
      await visit.close();
    });

    /** Opens a page of a server that was set up for the sender and one of its receivers. */
    const openOwn = async (path: string) => {
      const response = await fetch(`${server.base}/report/dataset.json`);
      const own = { state: 'proved', missing: [], unconfirmed: [] };
      const wallets = [SENDER, OWN].map((address) => ({ address, ...own }));
      const body = JSON.stringify({ ...((await response.json()) as object), example: null, wallets });
      return browser.open(path, {
        extension: async (page) => {
          await page.setRequestInterception(true);
          page.on('request', (request) => {
            const isDataset = request.url().endsWith('/dataset.json');
            void (isDataset ? request.respond({ contentType: 'application/json', body }) : request.continue());
          });
        },
      });
    };

    test('lists all own wallets together first, and calls none of them an example', async () => {
      const visit = await openOwn('/');
      await visit.page.waitForSelector('.tracked-wallets li');
      const items = await visit.texts('.tracked-wallets li');
      assert.deepEqual(
        items.map((text) => text.split(' ')[0]),
        ['All', SENDER, OWN],
      );
      assert.doesNotMatch((await visit.texts('main')).join(), /example/i);
      await visit.press('All your wallets');
      await visit.settled();
      assert.match(String(await visit.page.evaluate('location.hash')), new RegExp(`^#addresses=${SENDER},${OWN}&`));
      await visit.close();
    });

    test('proposes that sends to an own wallet stayed with the owner, and counts nothing before an answer', async () => {
      const visit = await openOwn(`/#addresses=${SENDER}&year=2026`);
      await visit.settled();
      const sends = await visit.page.$$eval('.send', (all) =>
        all.map((one) => [one.textContent, one.querySelector('.button')?.textContent ?? ''] as const),
      );
      assert.deepEqual(sends.map(([text, proposed]) => [text!.includes(OWN), proposed]).sort(), [
        [false, ''],
        [false, ''],
        [true, 'My own wallet or account'],
      ]);
      assert.ok((await visit.texts('#open-bar li')).includes('Coins you sent 6'));
      assert.deepEqual((await visit.stated()).tags, {});
      await visit.press('show all your wallets in one report');
      await visit.settled();
      await visit.page.waitForSelector('#own-transfers');
      assert.deepEqual(await visit.texts('.question:has(#own-transfers) .button'), ['All mine: carry the cost over']);
      assert.match((await visit.texts('#own-transfers .count')).join(), /open/);
      await visit.close();
    });

    test('changes form, journal, summary and importers alike by three answers, and remembers them in other years', async () => {
      const visit = await open(2026);
      const before: Summary = JSON.parse(await post('summary', { address: [SENDER] }));
      await answer(visit, EXCHANGE, 'My own wallet or account');
      await answer(visit, FRIEND, 'Gift');
      assert.match((await visit.texts('.changes')).join(), /Sold: \$\d+\.\d\d →is now \$\d+\.\d\d/);
      await answer(visit, OWN, 'Sale or payment');
      assert.match((await visit.texts('.changes')).join(), /Your files are ready\./);
      const stated = await visit.stated();
      const tags = Object.values(stated.tags).sort();
      assert.deepEqual(tags, ['gift', 'gift', 'own_transfer', 'own_transfer', 'sale', 'sale']);

      const body = bodyOf([SENDER], stated);
      const after: Summary = JSON.parse(await post('summary', body));
      const form: Form8949 = JSON.parse(await post('journal', { ...body, profile: 'form8949', format: 'json' }));
      const journal: Journal = JSON.parse(await post('journal', { ...body, format: 'json' }));
      const { events }: EventList = JSON.parse(await post('events', body));
      const cents = (usd: string) => Math.round(Number(usd) * 100);
      const sold = events.filter(({ userTag }) => userTag === 'sale').reduce((sum, row) => sum + row.valueUsd, 0);
      assert.equal(cents(after.total.disposed.proceeds_usd), Math.round(sold * 100));
      assert.ok(cents(before.total.disposed.proceeds_usd) > 2.9 * cents(after.total.disposed.proceeds_usd));
      const proceeds = form.totals.reduce((sum, { proceeds_usd }) => sum + cents(proceeds_usd), 0);
      assert.equal(proceeds, cents(after.total.disposed.proceeds_usd));
      const booked = journal.lines.filter(({ account }) => account === 'Clearing: Sales');
      assert.ok(booked.length > 0 && journal.lines.every(({ account }) => !account.startsWith('Transfers Out')));
      const koinly = await visit.downloaded(() => visit.press('Download Koinly', '#downloads'));
      assert.equal(
        koinly.text.replace('\ufeff', ''),
        (await post('events', { ...body, format: 'csv', profile: 'koinly' })).replace('\ufeff', ''),
      );
      assert.match(koinly.text, /gift/);
      assert.deepEqual((await shownGlance(visit))[1], after.total.disposed.gain_usd);

      await visit.page.locator('.asked > summary').click();
      await visit.page.select('#year', '2025');
      await visit.press('Show my year');
      await visit.page.waitForFunction("document.querySelector('h1')?.textContent.startsWith('Your 2025')");
      await visit.page.waitForFunction(
        "document.querySelector('#ready')?.textContent.startsWith('Your files are ready')",
      );
      await visit.settled();
      assert.equal(Object.keys((await visit.stated()).tags).length, 12, 'the same receivers need no second answer');
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });

    test('shows the same figures in another browser by the link for an accountant, read-only', async () => {
      const visit = await open(2026);
      await answer(visit, EXCHANGE, 'My own wallet or account');
      await answer(visit, FRIEND, 'Gift');
      await visit.press('Copy link for my accountant');
      await visit.page.waitForSelector('#answers-link');
      const link = await visit.page.$eval('#answers-link', (one) => (one as unknown as { value: string }).value);
      const figures = await shownGlance(visit);
      const stated = await visit.stated();
      await visit.close();

      const other = await browser.openAt(link);
      await other.settled();
      assert.deepEqual(await shownGlance(other), figures);
      assert.match((await other.texts('#owners-answers')).join(), /Answered by the owner/);
      await other.unfold();
      assert.equal((await other.page.$$('.question-body :is(button, select, input):enabled:not(.papers *)')).length, 0);
      assert.deepEqual(await other.accessibility(), []);
      const koinly = await other.downloaded(() => other.press('Download Koinly', '#downloads'));
      const body = { ...bodyOf([SENDER], stated), format: 'csv', profile: 'koinly' };
      assert.equal(koinly.text.replace('\ufeff', ''), (await post('events', body)).replace('\ufeff', ''));
      assert.deepEqual((await other.stated()).tags, {}, 'nothing of it is kept');
      await other.press('Use my own answers');
      await other.settled();
      assert.notDeepEqual(await shownGlance(other), figures);
      assert.ok(!other.page.url().includes('answers'));
      await other.close();
    });

    test('keeps answers in a file, which another browser opens', async () => {
      const visit = await open(2026);
      await answer(visit, FRIEND, 'Donation');
      const file = await visit.downloaded(() => visit.press('Save to a file'));
      const figures = await shownGlance(visit);
      await visit.close();
      const folder = mkdtempSync(join(tmpdir(), 'hubledger-answers-'));
      const path = join(folder, 'answers.json');
      const other = await open(2026);
      const choose = async () => {
        const label = other.page.locator('.answers-menu label');
        const [chooser] = await Promise.all([other.page.waitForFileChooser(), label.click()]);
        await chooser.accept([path]);
      };
      writeFileSync(path, '{"tags":{}}');
      await choose();
      await other.page.waitForFunction("document.querySelector('.answers-menu')?.textContent.includes('no answers')");
      writeFileSync(path, file.text);
      await choose();
      await other.page.waitForFunction("document.querySelector('#ready')?.textContent.includes('4 sends')");
      await other.settled();
      assert.deepEqual(await shownGlance(other), figures);
      await other.close();
      rmSync(folder, { recursive: true });
    });

    test('reads a damaged link without its answers, and says so', async () => {
      const visit = await browser.open(`/#addresses=${SENDER}&year=2026&answers=q1YqLkksKVbSUap`);
      await visit.settled();
      assert.match((await visit.texts('.title .bad')).join(), /cannot be read, so they do not count here/);
      await visit.close();
    });

    test('refuses a link whose answers are too long, and says so', async () => {
      const packed = deflateRawSync(' '.repeat(5 * 1024 * 1024)).toString('base64url');
      const visit = await browser.open(`/#addresses=${SENDER}&year=2026&answers=${packed}`);
      await visit.settled();
      assert.match((await visit.texts('.title .bad')).join(), /longer than 4 MiB, so they do not count here/);
      await visit.close();
    });

    test('leads from a link whose answers the server refuses to the own answers, and never counts without either', async () => {
      const answers = {
        ...{ format: 'hubledger-answers', decisions: {}, openingLots: [], receivers: {}, unknown: {}, own: {} },
        tags: { [SENDER]: { '1-0-0-0-out': 'no tag' } },
      };
      const packed = deflateRawSync(JSON.stringify(answers)).toString('base64url');
      const visit = await browser.open(`/#addresses=${SENDER}&year=2026&answers=${packed}`);
      await visit.page.waitForSelector('.lone.bad');
      assert.match((await visit.texts('.lone.bad')).join(), /Must be one of .*Use my own answersTry again$/);
      await visit.press('Use my own answers');
      await visit.settled();
      assert.deepEqual(await visit.texts('#owners-answers'), []);
      assert.ok(!visit.page.url().includes('answers'));
      await visit.page.browserContext().close();
    });

    test('finds sends to another asked wallet by itself, and settles them in either way', async () => {
      const visit = await open(2026, `${SENDER},${OWN}`);
      const bar = () => visit.texts('#open-bar li');
      assert.ok((await bar()).includes('Transfers between these wallets 1'), (await bar()).join());
      assert.ok((await bar()).includes('Coins you sent 4'), (await bar()).join());
      await visit.press('Not all mine');
      await visit.settled();
      assert.ok((await bar()).includes('Coins you sent 6'), (await bar()).join());
      await visit.press('All mine: carry the cost over');
      await visit.settled();
      assert.ok((await bar()).includes('Coins you sent 4'), (await bar()).join());
      assert.match((await visit.texts('.question')).join(), /settled.*4 transfers, together/, 'the list stays');
      await visit.close();
    });

    test('says in the panel of a row what a tag given there has changed', async () => {
      const visit = await open(2026);
      await visit.press('Sent', '.rows tbody tr:nth-child(1)');
      await visit.page.waitForSelector('dialog[open] #panel-tag');
      await visit.page.focus('#panel-tag');
      await visit.page.waitForSelector('#panel-tag option[value=gift]');
      await visit.page.select('#panel-tag', 'gift');
      await visit.page.waitForFunction("document.querySelector('#panel-changes')?.textContent.includes('is applied')");
      assert.match((await visit.texts('#panel-changes')).join(), /Sold: .*is now/);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });
  });
}
