/** The report of a filer with a trip to Osmosis and an exchange: coins that come home keep their cost, and sales there find their lots. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import type { PricedEvent, Summary } from '../../../../schemas/types.generated.js';
import { makeEvent } from '../../../books/ledger/wallets.js';
import { programs } from '../../../requirements.js';
import { until } from '../../../until.js';
import { WALLETS } from '../../harness.js';
import { recordedContent } from '../../published.js';
import type { Visit } from './pages/browser.js';
import { sharedPages } from './pages/shared-pages.js';

const { light, short } = WALLETS;
/** The wallet's own key on Osmosis. */
const OSMO = bech32.encode('osmo', bech32.decode(light as `cosmos1${string}`).words);
/** Where the exchange takes coins in, and where it pays them out from. */
const [DEPOSIT, PAYER] = ['cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu', short];
const BUYER = 'cosmos1qyqszqgpqyqszqgpqyqszqgpqyqszqgpjnp7du';

let height = 100;
const row = (day: string, category: string, more: Partial<PricedEvent>): PricedEvent => {
  height++;
  return makeEvent(height, day, category, { address: light, id: `${height}-0-${light.slice(-12)}`, ...more });
};
const out = (atoms: number, counterparty: string, more: Partial<PricedEvent> = {}) => ({
  ...{ sent_amount: BigInt(atoms) * 1_000_000n, sent_denom: 'uatom', sent_price: 5_000_000n, counterparty },
  ...more,
});
const into = (atoms: number, counterparty: string | null = null, more: Partial<PricedEvent> = {}) => ({
  ...{ received_amount: BigInt(atoms) * 1_000_000n, received_denom: 'uatom', received_price: 2_000_000n, counterparty },
  ...more,
});

const EARNED = row('2026-01-05', 'staking_reward', into(70));
const LATER = row('2026-02-10', 'staking_reward', into(50, null, { received_price: 3_000_000n }));
const LEFT = row('2026-03-01', 'ibc_out', out(40, OSMO, { to_own_key: true, detail: 'Over channel-141' }));
const SENT = row('2026-03-02', 'transfer_out', out(60, DEPOSIT));
const HOME = row('2026-03-10', 'ibc_in', into(25, OSMO, { detail: 'Over channel-141, packet 7' }));
const MORE = row('2026-03-20', 'ibc_in', into(20, OSMO, { detail: 'Over channel-141, packet 9' }));
const PAID = row('2026-03-25', 'transfer_in', into(30, PAYER));
const SOLD = row('2026-04-01', 'transfer_out', out(60, BUYER));

const content = () => ({
  ...recordedContent(),
  flagged: [],
  wallets: { [light]: [EARNED, LATER, LEFT, SENT, HOME, MORE, PAID, SOLD] },
  opening: {},
});

const SALES = [
  'Asset name\tUnits\tDate acquired\tDate sold\tGross proceeds',
  'ATOM\t10\t\t03/28/2026\t$60.00',
  'Cosmos (ATOM)\t20\t\t04/15/2026\t$120.00',
  'ETH\t1\t\t03/30/2026\t$2,000.00',
].join('\n');

for (const program of programs('browser')) {
  describe('the report', () => {
    const { server, browser } = sharedPages(program, { content: content() });

    const open = async (path = `/#addresses=${light}&year=2026`) => {
      const visit = await browser.open(path);
      await visit.settled();
      return visit;
    };
    /** The table of each place: its title, and the cells of each coin. */
    const placesOn = (visit: Visit) =>
      visit.page.$$eval('.place', (all) =>
        all.map((one) => {
          const cells = [...one.querySelector('table')!.querySelectorAll('tbody tr')].map((line) =>
            [...line.children].map((cell) => cell.textContent).join(' | '),
          );
          return `${one.querySelector('h4')!.textContent}: ${cells.join('; ')}`;
        }),
      );
    /** Opens a question, which alone is #asked from then on. */
    const unfold = async (visit: Visit, title: string) => {
      await visit.page.$$eval('#asked', (all) => {
        for (const one of all) one.removeAttribute('id');
      });
      await visit.unfold(title);
    };
    const answer = async (visit: Visit, button: string, within: string) => {
      await visit.press(button, within);
      await visit.settled();
    };
    const post = (path: string, body: object) =>
      fetch(`${server.base}/api/tax/v1/${path}`, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) },
      });
    const openCounts = async (visit: Visit) =>
      (await visit.texts('.question .count')).filter((text) => text !== 'settled');
    const nameIt = async (visit: Visit, place: string, name: string) => {
      await visit.page.type(`${place} .inline-form input`, name);
      await answer(visit, 'Use this name', place);
    };

    test('asks which coins came home, proposes only, and leaves no unknown cost that the owner could know', async () => {
      const visit = await open();
      assert.deepEqual(await placesOn(visit), ['Your address on Osmosis: ATOM | 40 | 45 | 40']);
      await unfold(visit, 'Coins you moved to your own places');
      const rows = await visit.texts('.place .rows-of-group p');
      assert.match(rows[0]!, /25 ATOM · probably yes$/);
      assert.match(rows[1]!, /20 ATOM$/, 'more than what is still there of the trip');
      await visit.requireEveryLook('places-open');
      assert.deepEqual((await visit.stated()).decisions, {}, 'what is proposed counts for nothing');

      await answer(visit, 'My own wallet or account', '.send:nth-child(1)');
      await answer(visit, 'Sale or payment', '.send:nth-child(2)');
      await answer(visit, 'Yes, all 2', '.place:nth-child(1)');
      assert.ok((await placesOn(visit))[0]!.endsWith('40 | 45 | none; 5 more came back'));
      await unfold(visit, 'Incoming transfers of unknown cost');
      await answer(visit, 'Coins that I had sent away before', '#asked');
      await unfold(visit, 'Coins you moved to your own places');
      const [, deposit, payer] = ['Osmosis', DEPOSIT, PAYER].map((_, i) => `.place:nth-child(${i + 1})`);
      await nameIt(visit, payer!, 'Kraken');
      await unfold(visit, 'Coins you moved to your own places');
      await nameIt(visit, deposit!, 'Kraken');
      assert.deepEqual((await placesOn(visit)).toSorted(), [
        'Kraken: ATOM | 60 | 30 | 30',
        'Your address on Osmosis: ATOM | 40 | 45 | none; 5 more came back',
      ]);
      assert.deepEqual(await openCounts(visit), []);
      await unfold(visit, 'Coins you moved to your own places');
      await visit.requireEveryLook('places-answered');
      const { decisions, tags } = await visit.stated();
      const body = { address: light, end: '2026-12-31', assetDecisions: decisions, userTags: tags };
      const { total } = (await (await post('summary', body)).json()) as Summary;
      assert.deepEqual(
        [
          total.open.filter(({ count }) => count > 0),
          total.disposed.gain_known,
          total.disposed.proceeds_basis_unknown_usd,
        ],
        [[], 'all', '0.00'],
      );
      const file = await visit.downloaded(() => visit.press('Download them as CSV', '#asked'));
      const papers = await post('transferred-basis', { ...body, format: 'csv' });
      assert.equal(file.text, await papers.text());
      assert.match(file.text, new RegExp(`${LEFT.id}.*,40,2026-01-05,80.00,40\r?\n`));

      const send = await visit.page.waitForSelector('.rows tbody ::-p-text(IBC sent)');
      await visit.click(send!);
      const again = await visit.downloaded(() => visit.press('Download them as PDF', '.panel'));
      assert.ok(again.bytes.subarray(0, 5).equals(Buffer.from('%PDF-')));
      await visit.page.keyboard.press('Escape');
      await visit.page.waitForFunction('!document.querySelector(".panel")');

      const textarea = await visit.page.waitForSelector('.broker textarea');
      await textarea!.asLocator().fill(SALES);
      await visit.page.waitForSelector('.broker tbody tr:nth-child(4)');
      const cells = await visit.page.$$eval('.broker tbody tr', (all) =>
        all.map((line) => [...line.children].map((cell) => cell.textContent).join(' | ')),
      );
      assert.deepEqual(cells, [
        '28 Mar 2026 | 10 ATOM | acquired 10 Feb 2026, sent 2 Mar 2026, short-term | $60.00 | $30.00 | +$30.00',
        '30 Mar 2026 | 1 ETH | You sent no such coin there | $2,000.00 | not known | not known',
        '15 Apr 2026 | 15 ATOM | acquired 10 Feb 2026, sent 2 Mar 2026, short-term | $90.00 | $45.00 | +$45.00',
        '15 Apr 2026 | 5 ATOM | These coins came home, by your answers | $30.00 | not known | not known',
      ]);
      await visit.requireEveryLook('places-broker');
      const sales = await visit.downloaded(() => visit.press('Download as CSV', '.broker'));
      assert.deepEqual(sales.text.split('\n').slice(0, 3), [
        'asset,quantity,date_sold,date_acquired,date_sent,tx_hash,proceeds_usd,cost_basis_usd,gain_usd,term,does_not_fit',
        `ATOM,10,2026-03-28,2026-02-10,2026-03-02,${SENT.tx_hash},60.00,30.00,30.00,short,`,
        'ETH,1,2026-03-30,,,,2000.00,,,,You sent no such coin there',
      ]);

      const before = await placesOn(visit);
      await visit.press('Copy link for my accountant');
      await visit.page.waitForSelector('#answers-link');
      const link = await visit.page.$eval('#answers-link', (one) => (one as unknown as { value: string }).value);
      await visit.close();
      const accountant = await browser.openAt(link);
      await accountant.settled();
      await unfold(accountant, 'Coins you moved to your own places');
      assert.deepEqual(await placesOn(accountant), before, 'also the name of the exchange');
      assert.equal((await accountant.page.$$('.place .choices button:enabled, .place input')).length, 0);
      const same = await accountant.downloaded(() => accountant.press('Download them as CSV', '#asked'));
      assert.equal(same.text, file.text, 'who reads the answers may take the papers');
      await accountant.close();
    });

    test('takes a no, asks for the cost of these coins, and forgets both answers', async () => {
      const visit = await open();
      await unfold(visit, 'Coins you moved to your own places');
      await answer(visit, 'No, none of them', '.place');
      assert.deepEqual(await placesOn(visit), ['Your address on Osmosis: ATOM | 40 | none | 40']);
      assert.deepEqual((await visit.stated()).decisions, {});
      const asked = async () => {
        await unfold(visit, 'Incoming transfers of unknown cost');
        return visit.texts('#asked .item h4');
      };
      assert.deepEqual((await asked()).toSorted(), ['30 ATOM', '45 ATOM in 2 incoming transfers']);
      await unfold(visit, 'Coins you moved to your own places');
      await answer(visit, 'Yes, all 2', '.place');
      assert.deepEqual(
        await openCounts(visit),
        ['2 open', '2 open'],
        'five of the coins that came back were never sent',
      );
      await asked();
      assert.match((await visit.texts('#asked')).join(), /1 incoming transfer from contracts.* has unknown cost/);
      await unfold(visit, 'Coins you moved to your own places');
      await answer(visit, 'No, none of them', '.place');
      await answer(visit, 'Yes', '.place .rows-of-group li:nth-child(1)');
      assert.deepEqual((await asked()).toSorted(), ['20 ATOM', '30 ATOM']);
      assert.deepEqual(Object.keys((await visit.stated()).decisions), [HOME.id]);
      await answer(visit, 'Yes', '.place .rows-of-group li:nth-child(1)');
      assert.deepEqual((await visit.stated()).decisions, {}, 'a second press takes the answer back');
      await visit.close();
    });

    test('loads the lots again only after an answer that changes them', async () => {
      const visit = await open();
      let requests = 0;
      visit.page.on('request', (request) => {
        if (request.url().endsWith('/transferred-basis')) requests++;
      });
      await answer(visit, 'My own wallet or account', '.send:nth-child(1)');
      await until(() => requests > 0, 'the page asks for the lots');
      await visit.page.waitForNetworkIdle();
      await unfold(visit, 'Coins you moved to your own places');
      await nameIt(
        visit,
        `.place:nth-child(${(await placesOn(visit)).findIndex((one) => !one.startsWith('Your')) + 1})`,
        'Kraken',
      );
      await visit.page.waitForFunction('document.querySelector("#asked").textContent.includes("Kraken")');
      await visit.page.waitForNetworkIdle();
      assert.equal(requests, 1, 'a name changes no lot');
      await visit.close();
    });

    test('asks also about coins that came home before the period, because they change its lots', async () => {
      const visit = await open(`/#addresses=${light}&start=2026-03-15&end=2026-04-10`);
      assert.deepEqual(await placesOn(visit), ['Your address on Osmosis: ATOM | 40 | 45 | 40']);
      await answer(visit, 'Yes, all 2', '.place');
      assert.deepEqual(Object.keys((await visit.stated()).decisions).sort(), [HOME.id, MORE.id].sort());
      await visit.close();
    });
  });
}
