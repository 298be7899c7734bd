/** Questions of the report in a real browser, on the whole sample: each of the four kinds is answered, and counted as the API counts it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AssetReview, EventList } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import type { Visit } from './pages/browser.js';
import { addressOf, DOUBTFUL, SamplePages, shownGlance, UNDECIDED } from './pages/sample-pages.js';

let pages: SamplePages;
const visit = (...words: Parameters<SamplePages['visit']>): Promise<Visit> => pages.visit(...words);

for (const program of programs('browser')) {
  describe('the report', () => {
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    test('settles suspicious incoming transfers: left out, kept, corrected', async () => {
      const page = await visit(DOUBTFUL);
      const before = await shownGlance(page);
      assert.equal((await page.page.$$('.file button:enabled')).length, 0, 'no file before they are decided about');
      await page.unfold('Suspicious incoming transfers');
      const asked = await page.texts('#asked legend, #settle label[for^=said]');
      assert.equal(new Set(asked).size, asked.length, 'each choice is told with its coins to who hears the page');
      await page.press('Keep', '#asked .item:nth-child(1)');
      await page.settled();
      assert.match((await page.texts('.changes')).join(), /suspicious incoming transfers? (is|are) left\. Go on/);
      await page.press('Leave out', '#asked .item:nth-child(2)');
      await page.settled();
      await page.press('Correct…', '#asked .item:nth-child(3)');
      await page.page.type('#asked .item:nth-child(3) input', 'ATOM');
      await page.page.type('#asked .item:nth-child(3) .field:nth-child(3) input', '1,000.50');
      await page.press('Correct', '#asked .inline-form');
      await page.settled();
      assert.match(
        (await page.texts('.changes')).join(),
        /Your answer is applied.*You can download; \d+ sends still count as sales/,
      );
      assert.ok(await page.isOnScreen('.changes'), 'where the answer was given');
      await page.press('Go to downloads', '.changes');
      assert.ok(await page.isOnScreen('#downloads-title:focus'), 'the next step is one press away');
      const kept = (await page.stated()).decisions;
      const modes = Object.values(kept).map(({ mode }) => mode);
      assert.deepEqual(modes.sort(), ['exclude', 'keep', 'keep', 'override', 'override']);
      assert.deepEqual(await shownGlance(page), await pages.glance({ address: DOUBTFUL, assetDecisions: kept }));
      assert.equal(before.length, 3);
      assert.deepEqual(await page.accessibility(), []);
      await page.close();
    });

    test('asks what coins from before the records had cost, and counts it', async () => {
      const page = await visit(DOUBTFUL);
      await page.unfold('Coins from before the records');
      await page.page.type('#asked .item:nth-child(1) input', '0,x');
      assert.match((await page.texts('#asked .fault')).join(), /An amount above zero/);
      await page.paste(
        '#asked .item:nth-child(2) form',
        'amount\tdate\tcost\n10\t2024-05-03\t55.00\n2.5\t2023-01-31\t20',
      );
      await page.press('Use these costs', '#asked .item:nth-child(2)');
      await page.settled();
      const lots = (await page.stated()).openingLots;
      assert.deepEqual(
        lots.map(({ quantity }) => quantity),
        ['10', '2.5'],
      );
      const typed = (item: number) =>
        page.page.$$eval(`#asked .item:nth-child(${item}) input`, (all) =>
          all.map((one) => (one as unknown as { value: string }).value),
        );
      const lines = ['10', '2024-05-03', '55.00', '2.5', '2023-01-31', '20', '', '', ''];
      assert.deepEqual(await typed(2), lines, 'what counts stays there, to be added to');
      assert.equal((await typed(1))[0], '0,x', 'and so does what is typed elsewhere');
      assert.deepEqual(await shownGlance(page), await pages.glance({ address: DOUBTFUL, openingLots: lots }));
      assert.deepEqual(await page.accessibility(), []);
      await page.close();
    });

    test('asks once which part of a pasted date is the month', async () => {
      const page = await visit(DOUBTFUL);
      await page.unfold('Coins from before the records');
      const days = (item: number) =>
        page.page.$$eval(`#asked .item:nth-child(${item}) input[placeholder]`, (all) =>
          all.map((one) => (one as unknown as { value: string }).value).filter((text) => /^\d{4}-/.test(text)),
        );
      await page.paste('#asked .item:nth-child(1) form', '1,000\t3/4/2021\t$18,500.00');
      await page.press('3 Apr 2021', '#asked .item:nth-child(1)');
      await page.page.waitForFunction("document.querySelectorAll('#asked .item:nth-child(1) tbody tr').length === 2");
      assert.deepEqual(await days(1), ['2021-04-03']);
      await page.paste('#asked .item:nth-child(2) form', '2\t5/6/2021\t$20');
      await page.page.waitForFunction("document.querySelectorAll('#asked .item:nth-child(2) tbody tr').length === 2");
      assert.deepEqual(await days(2), ['2021-06-05']);
      await page.page.evaluate('localStorage.clear()'); // the next test asks about the same wallet
      await page.close();
    });

    test('shows what strangers recorded on the chain as text: memos, monikers, names of tokens', async () => {
      const page = await visit(DOUBTFUL);
      await page.unfold();
      const review = await fetch(`${pages.server.base}/api/tax/v1/asset-review?address=${DOUBTFUL}`);
      const { records } = (await review.json()) as AssetReview;
      const memos = new Set(records.map(({ memo }) => memo.replace(/\s+/g, ' ').trim()).filter(Boolean));
      assert.deepEqual(new Set(await page.texts('.memo q')), memos);
      assert.ok([...memos].some((memo) => /https?:/.test(memo)) && (await page.texts('.memo a')).length === 0);
      const names = records.map(({ claimed_symbol, symbol }) => claimed_symbol || symbol);
      const titles = await page.page.$$eval('.question abbr', (all) => all.map((one) => one.getAttribute('title')));
      for (const name of names) assert.ok(titles.includes(name), name);
      const { events }: EventList = JSON.parse(await pages.post('events', { address: DOUBTFUL }));
      const monikers = new Set(events.map(({ validatorMoniker }) => validatorMoniker).filter(Boolean));
      assert.ok(
        [...monikers].some((moniker) => /[&;'+@]/.test(moniker)),
        'one with signs of markup or formulas',
      );
      for (const moniker of monikers) {
        await page.fill('.filters input', moniker);
        await page.page.waitForFunction(`document.querySelectorAll('.rows tbody .detail').length > 0`);
        for (const detail of await page.texts('.rows tbody .detail')) assert.ok(detail.includes(moniker), detail);
      }
      await page.close();
    });

    test('shows the whole of an amount in the table of costs on a phone, also with letters twice as large', async () => {
      const page = await visit(DOUBTFUL, { width: 360 });
      await page.unfold('Coins from before the records');
      await page.page.type('#asked .item:nth-child(1) tr:nth-child(1) input', '3613.607483');
      for (const size of ['100%', '200%']) {
        await page.page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
        const cut = await page.page.$$eval('#asked .item:nth-child(1) input', (all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label')),
        );
        assert.deepEqual(cut, [], size);
        const wide = await page.page.$$eval('.chart, .bars', (all) =>
          all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
        );
        assert.deepEqual(wide, [], size);
      }
      await page.close();
    });

    test('does not call the nothing of a receipt that was left out, or a stated value, the price of its day', async () => {
      const page = await visit(DOUBTFUL);
      await page.unfold('Suspicious incoming transfers');
      await page.press('Leave out', '#asked .item:nth-child(1)');
      await page.settled();
      const panelOf = async (description: string) => {
        const rows = JSON.parse(await pages.post('events', { address: DOUBTFUL })).events as EventList['events'];
        const row = rows.find((one) => one.description.includes(description))!;
        await page.fill('.filters input', row.txHash);
        await page.page.waitForFunction(`document.querySelectorAll('.rows tbody tr button').length === 1`);
        await page.press(row.categoryLabel, '.rows tbody');
        await page.page.waitForSelector('.panel table, .panel-part p');
        return (await page.texts('.panel')).join();
      };
      const panel = await panelOf('is excluded by your decision');
      assert.match(panel, /You left this transfer out, so it counts as worthless/);
      assert.doesNotMatch(panel, /Price that day|by methodology/);
      await page.close();
    });

    test('takes back what the API refuses, and says why', async () => {
      const page = await visit(DOUBTFUL);
      await page.unfold('Coins from before the records');
      const [quantity, day, cost] = await page.page.$$('#asked .item:nth-child(1) tr:nth-child(1) input');
      await quantity!.type('99999999999');
      await day!.type('2024-01-01');
      await cost!.type('1');
      await page.press('Use these costs', '#asked .item:nth-child(1)');
      await page.page.waitForSelector('.changes .bad');
      assert.match(
        (await page.texts('.changes')).join(),
        /^Your answer was not applied\. 99999999999 ATOM exceeds the /,
      );
      await page.settled();
      const lots = (await page.stated()).openingLots;
      assert.deepEqual(lots, []);
      await page.page.browserContext().close(); // the refusal is an error of its console
    });

    test('says what receipts of unknown cost were, and what one had cost', async () => {
      const page = await visit(DOUBTFUL);
      await page.pressQuestion('Incoming transfers of unknown cost');
      assert.ok(await page.page.$('.question[open] > #unknown-costs:focus'), 'what is open leads to its question');
      await page.unfold('Incoming transfers of unknown cost');
      await page.page.select('#asked .item:nth-child(1) select', 'income');
      await page.settled();
      assert.match((await page.texts('#asked .item:nth-child(1) .said')).join(), /Received as income at market value/);
      await page.page.type('#asked .item:nth-child(2) form input', '12.34');
      await page.press('Use this cost', '#asked .item:nth-child(2) li:nth-child(1)');
      await page.settled();
      const stated = await page.stated();
      const { tags, decisions } = stated;
      assert.match((await page.texts('.changes')).join(), /Your answer is applied/);
      assert.ok(await page.isOnScreen('.changes'), 'where the answer was given');
      assert.ok(Object.values(tags).length > 0 && Object.values(tags).every((tag) => tag === 'income'));
      const body = { address: DOUBTFUL, userTags: tags, assetDecisions: { ...UNDECIDED, ...decisions } };
      assert.deepEqual(await shownGlance(page), await pages.glance(body));
      await page.close();
    });

    test('carries the cost of transfers between own wallets along', async () => {
      const address = [addressOf('heavy1'), addressOf('heavy1second')];
      const page = await visit(address.join());
      await page.unfold('Transfers between these wallets');
      await page.press('All mine: carry the cost over');
      await page.settled();
      assert.deepEqual(await shownGlance(page), await pages.glance({ address, ownWallets: 'carry' }));
      assert.match((await page.texts('#asked .count')).join(), /settled/);
      assert.match((await page.texts('.changes')).join(), /\.\d\d \d+ fewer open questions\./);
      assert.deepEqual(await page.accessibility(), []);
      await page.close();
    });
  });
}
