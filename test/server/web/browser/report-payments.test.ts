/** Payments to several receivers in a real browser: one item, answered once or receiver by receiver. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventList, PricedEvent } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { type Content, recordedContent, recordedEvents } from '../../published.js';
import type { Visit } from './pages/browser.js';
import { bodyOf } from './pages/sample-pages.js';
import { sharedPages } from './pages/shared-pages.js';

const SENDER = WALLETS.light;
const [EXCHANGE, FRIEND, OWN] = ['cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh', WALLETS.silent, WALLETS.short];

const list = (...units: number[]) => [EXCHANGE, FRIEND, OWN].map((one, i) => `${one} ${units[i]}`).join(', ');

/** A payment by one message in each year, a transaction of three sends, and two payments to seven receivers. */
function payingContent(): Content {
  const sent = recordedEvents(SENDER).find(({ category }) => category === 'transfer_out')!;
  let position = 0;
  const send = (year: number, tx: string, units: number, more: Partial<PricedEvent>): PricedEvent => ({
    ...{ ...sent, id: `${++position}-${sent.id}`, height: 100 + position, position, to_own_key: false },
    ...{ time: `${year}-02-03 10:00:00`, tx_hash: tx.repeat(64), counterparty: null, detail: '' },
    ...{ sent_amount: BigInt(units), sent_denom: 'uatom', sent_price: 5_000_000n },
    ...more,
  });
  const many = Array.from({ length: 7 }, (_, i) => `cosmos1payroll${i} 10000${i}`).join(', ');
  const rows = [
    send(2025, 'A', 6_000_000, { detail: `To 3 receivers, in base units: ${list(1_000_000, 2_000_000, 3_000_000)}` }),
    send(2026, 'B', 3_000_000, { detail: `To 3 receivers, in base units: ${list(1_500_000, 500_000, 1_000_000)}` }),
    ...[EXCHANGE, FRIEND, OWN].map((counterparty) => send(2026, 'C', 4_000_000, { counterparty })),
    send(2026, 'D', 700_021, { detail: `To 7 receivers, in base units: ${many}` }),
    send(2026, 'E', 700_021, { detail: `To 7 receivers, in base units: ${many}` }),
    send(2026, 'F', 9_000_000, { counterparty: EXCHANGE }),
  ];
  return { ...recordedContent(), wallets: { [SENDER]: rows }, flagged: [], opening: {} };
}

for (const program of programs('browser')) {
  describe('payments to several receivers', () => {
    const { server, browser } = sharedPages(program, { content: payingContent() });

    const open = async (year = 2026) => {
      const visit = await browser.open(`/#addresses=${SENDER}&year=${year}`);
      await visit.settled();
      return visit;
    };
    const events = async (visit: Visit) => {
      const body = { ...bodyOf([SENDER], await visit.stated()), start: '2026-01-01', end: '2026-12-31' };
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${server.base}/api/tax/v1/events`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body) },
      });
      return ((await response.json()) as EventList).events;
    };

    test('are one item each, with every receiver and amount, and never to an unknown receiver', async () => {
      const visit = await open();
      assert.deepEqual(await visit.texts('.send h4'), [
        '15 ATOM in 2 payments',
        '1.400042 ATOM in 2 payments',
        '9 ATOM',
      ]);
      const paid = await visit.texts('.send:first-child .paid li');
      const short = (address: string) => `${address.slice(0, 12)}…${address.slice(-6)}${address}`;
      assert.deepEqual(paid, [`${short(EXCHANGE)}: 5.5 ATOM`, `${short(FRIEND)}: 4.5 ATOM`, `${short(OWN)}: 5 ATOM`]);
      assert.match((await visit.texts('.send:nth-child(2)')).join(), /Show the 7 receivers.*one answer counts for all/);
      assert.doesNotMatch((await visit.texts('#settle')).join(), /unknown receiver/);
      await visit.unfold('Coins you sent');
      assert.equal((await visit.texts('.send:nth-child(2) .paid li')).length, 7);
      await visit.requireEveryLook('payments-to-several');
      await visit.close();
    });

    test('are answered once: every row is tagged, and other years and sends need no second answer', async () => {
      const visit = await open();
      await visit.press('My own wallet or account', '.send:first-child');
      await visit.settled();
      const tagged = (await events(visit)).filter(({ userTag }) => userTag === 'own_transfer');
      assert.deepEqual(
        tagged.map(({ sentAmount }) => sentAmount),
        ['3', '4', '4', '4', '9'],
        'also the send to one of the receivers',
      );
      assert.match((await visit.texts('#ready')).join(), /^You can download; 2 sends still count as sales/);
      await visit.page.locator('.asked > summary').click();
      await visit.page.select('#year', '2025');
      await visit.press('Show my year');
      await visit.page.waitForFunction("document.querySelector('h1')?.textContent.startsWith('Your 2025')");
      await visit.page.waitForFunction(
        "document.querySelector('#ready')?.textContent.startsWith('Your files are ready')",
      );
      await visit.close();
    });

    test('are answered receiver by receiver, but rows for several receivers once', async () => {
      const visit = await open();
      await visit.page.locator('.send:first-child summary ::-p-text(Answer each receiver)').click();
      const choose = async (place: number, choice: string) => {
        await visit.press(choice, `.send:first-child .rows-of-group > li:nth-child(${place})`);
        await visit.settled();
      };
      await choose(1, 'My own wallet or account');
      await choose(2, 'Gift');
      await choose(3, 'Sale or payment');
      const joint = (await visit.texts('.send:first-child .rows-of-group > li:nth-child(4)')).join();
      assert.match(joint, /3 ATOM to several receivers by one message\. Such a payment is one row/);
      assert.deepEqual(
        (await events(visit)).map(({ sentAmount, userTag }) => [sentAmount, userTag]),
        [
          ['3', ''],
          ['4', 'own_transfer'],
          ['4', 'gift'],
          ['4', 'sale'],
          ['0.700021', ''],
          ['0.700021', ''],
          ['9', 'own_transfer'],
        ],
        'the row for several receivers with different answers stays open',
      );
      await choose(4, 'Gift');
      assert.match((await visit.texts('#ready')).join(), /^You can download; 2 sends still count as sales/);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });
  });
}
