/** The report in a real browser, on the whole sample: from the pasted address to the file and the PDF. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { EventList, Summary } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { LOOKS, type Visit } from './pages/browser.js';
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

/** The name of what has the focus, as a screen reader says it. */
const FOCUSED = `(() => {
  const { activeElement: one } = document;
  return (one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent).trim();
})()`;

/** Titles of the files that come first. */
const firstFiles = ({ page }: Visit) =>
  page.$$eval('#downloads > .group .file > span', (all) => all.map((one) => one.firstChild!.textContent));

let pages: SamplePages;
const visit = (...words: Parameters<SamplePages['visit']>): Promise<Visit> => pages.visit(...words);

for (const program of programs('browser')) {
  describe('the report', () => {
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(async () => {
      await pages.stop();
      console.log(`screenshots: ${pages.browser.screenshots}`);
    });

    test('begins with a pasted address, however it is pasted, and keeps it out of every URL that is asked for', async () => {
      const page = await pages.browser.open('/');
      const asked: string[] = [];
      page.page.on('request', (request) => request.method() === 'GET' && asked.push(request.url()));
      await page.page.type('#addresses', `  ${addressOf('val3')},, ${addressOf('val3')}  `);
      await page.press('Show my year');
      await page.settled();
      assert.deepEqual(await shownGlance(page), await pages.glance({ address: addressOf('val3') }));
      assert.match(page.page.url(), new RegExp(`/#addresses=${addressOf('val3')}&year=2026$`));
      const documents = asked.filter((url) => !url.includes('/api/'));
      assert.ok(documents.every((url) => !new URL(url).search.includes('cosmos1')));
      await page.close();
    });

    test('says kindly what is wrong with an address, and that a wallet was never seen', async () => {
      const page = await pages.browser.open('/');
      await page.page.type('#addresses', 'cosmos1nonsense');
      await page.press('Show my year');
      assert.match((await page.texts('.faults')).join(), /a letter is missing or wrong/);
      await page.requireEveryLook('landing-fault');
      await page.close();
      const unseen = await visit('cosmos1jhhykys9xmfd03sad53zdq9jvmyzm2gn42qy4q');
      assert.match((await unseen.texts('.notice')).join(), /This wallet has no transactions/);
      await unseen.requireEveryLook('unseen');
      await unseen.close();
    });

    test('has a real example one press away', async () => {
      const page = await pages.browser.open('/');
      await page.page.waitForSelector('.live-example dd:has(data)');
      const live = await page.figures('.live-example dl');
      assert.ok((await page.layoutShift()) < 0.02);
      await page.press('See a real example');
      await page.settled();
      const [income, , fees] = await shownGlance(page);
      assert.deepEqual(
        [live.length, live[0], live[3]],
        [4, income, fees],
        'the figures of the report that it leads to',
      );
      assert.ok((await page.texts('.rows tbody button')).length > 5);
      await page.close();
      const linked = await pages.browser.open('/#example');
      await linked.page.waitForSelector('.rows tbody button');
      const { openingLots } = await linked.stated();
      assert.equal(openingLots.length, 2, 'its owner states what coins from before the index cost');
      assert.match((await linked.texts('.test-chain')).join(), /recorded test chain, localhub-1/);
      await linked.close();
    });

    test('tags a row and explains it, down to its journal lines', async () => {
      const address = addressOf('reg09');
      const page = await visit(address);
      await page.page.type('.filters input', 'Received');
      await page.page.focus('.rows tbody select');
      await page.page.select('.rows tbody select', 'gift');
      await page.settled();
      await page.press('Received', '.rows tbody tr:nth-child(2), .rows tbody tr:nth-child(1)');
      await page.page.waitForSelector('.panel table');
      const panel = (await page.texts('.panel')).join();
      assert.match(panel, /Digital Assets: \w+/);
      assert.match(panel, /Equity|Transfers In|Income/);
      await page.requireEveryLook('explained');
      await page.page.keyboard.press('Escape');
      await page.page.waitForFunction('!document.querySelector(".panel")');
      await page.press('Show the rewards of Feb 2026');
      await page.click((await page.page.waitForSelector('.rows tbody tr:not(.spacer) button'))!);
      const quotes = await page.page.waitForSelector('.panel dd ::-p-text(→)');
      assert.match(await quotes!.evaluate((one) => one.textContent!), /^\w+ [\d.]+( · \w+ [\d.]+)* → \$[\d.]+$/);
      await page.close();
    });

    test('downloads the very bytes of the API', async () => {
      const page = await visit(DOUBTFUL);
      await page.press('Leave all 5 out', '#downloads');
      await page.settled();
      assert.deepEqual(await firstFiles(page), ['Form 8949, PDF', 'Year summary, PDF', 'Koinly']);
      const texts = await downloadAll(page);
      const files = await pages.files(bodyOf([DOUBTFUL], await page.stated()));
      assert.ok(files.get('journal pdf form8949')!.startsWith('%PDF-'), 'the form, to print');
      for (const [name, text] of files) assert.ok(texts.has(text), name);
      assert.equal(texts.size, files.size);
      await page.click((await page.page.$('#more-formats .fee-choice input'))!);
      const asked = page.page.waitForRequest((request) => request.postData()?.includes('"fees":"each"') === true);
      await page.click((await page.page.$('#more-formats .file:has(.fee-choice) > button'))!);
      await asked;
      await page.page.locator('#more-formats .how summary').click();
      await page.page.waitForSelector('#more-formats pre');
      await page.loaded();
      assert.match((await page.texts('#more-formats .how p')).join(), /^In CoinTracker, /);
      const preview = await page.page.$eval('#more-formats pre', ({ textContent }) => textContent);
      const whole = files.get('events csv cointracker')!.replace('\ufeff', '');
      assert.equal(preview, whole.split('\r\n').slice(0, 6).join('\n'));
      await page.page.reload();
      await page.settled();
      assert.deepEqual(await firstFiles(page), ['Form 8949, table', 'Summary', 'Positions'], 'the last ones');
      await page.page.locator('#more-formats summary').click();
      await page.requireEveryLook('files');
      await page.close();
    });

    for (const names of [['reg09'], ['reg09', 'reg05']]) {
      test(`prints ${names.length}: wallets and page number stand on each sheet, and the figures in it`, async () => {
        const address = names.map(addressOf);
        const page = await visit(address.join());
        const sheets = await printed(page, join(pages.browser.screenshots, `report-${names.length}.pdf`));
        await page.close();
        if (programs('pdftotext').length === 0) return;
        const [income, , fees] = await pages.glance({ address });
        assert.ok(sheets.length > 1);
        for (const [i, sheet] of sheets.entries()) {
          for (const one of address) assert.ok(sheet.includes(one), `sheet ${i + 1} has the whole address`);
          assert.match(sheet, new RegExp(`Page ${i + 1} of ${sheets.length}`));
        }
        const text = sheets.join('');
        assert.doesNotMatch(text, /Docs +Account/, 'no links that paper cannot follow');
        const list: EventList = JSON.parse(await pages.post('events', { address }));
        const onOneLine = text.match(/^ *\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\S.* (?:no price|[\d.]+)$/gm);
        assert.equal(onOneLine?.length, list.count, 'each row is one line');
        for (const figure of [income, fees]) assert.ok(text.includes(`$${grouped(figure!)}`), figure);
        const { total }: Summary = JSON.parse(await pages.post('summary', { address }));
        for (const kind of [...total.disposals, ...total.reliefs])
          assert.ok(text.includes(`${kind.account} (${kind.category})`), 'all that left is on paper');
        assert.ok(total.reliefs.length > 0);
      });
    }

    for (const { width, scheme } of LOOKS) {
      test(`has no finding of axe at ${width} pixels, ${scheme}`, async () => {
        const landing = await pages.browser.open('/', { width, scheme });
        assert.deepEqual(await landing.accessibility(), []);
        assert.ok((await landing.layoutShift()) < 0.02);
        await landing.requireNarrow();
        await landing.screenshot('landing');
        await landing.close();
        const page = await visit(DOUBTFUL, { width, scheme });
        assert.ok((await page.layoutShift()) < 0.02, 'what stands there stays there while the rest comes');
        await page.unfold();
        assert.deepEqual(await page.accessibility(), []);
        await page.requireNarrow();
        await page.screenshot('report');
        await page.close();
      });
    }

    test('stands on a dataset whose pages fit on a phone and have no finding of axe', async () => {
      const dataset = '/datasets/cosmoshub';
      const tables = ['priced_events', 'ledger_entries', 'validator_payouts'].map((name) => `${dataset}/${name}`);
      for (const path of [dataset, ...tables]) {
        const page = await pages.browser.open(path);
        assert.ok((await page.texts('table.figures')).length > 0, path);
        await page.requireNarrow(path);
        assert.deepEqual(await page.accessibility(), [], path);
        await page.close();
      }
    });

    test('goes the whole way by keys alone: paste, decide, say what coins cost and were, explain, tag, download', async () => {
      const page = await pages.browser.open('/');
      const { keyboard } = page.page;
      const focused = async () => String(await page.page.evaluate(FOCUSED));
      const tabTo = async (wanted: RegExp) => {
        for (let i = 0; i < 250; i++) {
          await keyboard.press('Tab');
          if (wanted.test(await focused())) return;
        }
        assert.fail(`${wanted} is not reached by Tab`);
      };
      const pressAt = async (wanted: RegExp) => {
        await tabTo(wanted);
        await keyboard.press('Enter');
      };
      await tabTo(/^Wallet addresses/);
      await keyboard.type(DOUBTFUL);
      await keyboard.press('Enter');
      await page.settled();
      await pressAt(/^Open questions/);
      assert.equal(await focused(), 'Open questions');
      await pressAt(/^Leave all 5 out/);
      await page.settled();
      assert.match(await focused(), /^Suspicious incoming transfers/, 'the button is gone, and the focus where it was');
      await pressAt(/^Coins from before the records/);
      await page.page.waitForSelector('#opening-coins ~ .question-body');
      for (const [field, text] of [
        [/^Amount of ATOM, line 1/, '10'],
        [/^Date acquired of ATOM, line 1/, '2024-05-03'],
        [/^Total cost/, '55'],
      ] as const) {
        await tabTo(field);
        await keyboard.type(text);
      }
      await pressAt(/^Use these costs/);
      await page.settled();
      assert.match(await focused(), /^Use these costs/);
      await pressAt(/^Incoming transfers of unknown cost/);
      await page.page.waitForSelector('#unknown-costs ~ .question-body');
      await tabTo(/^(It was|They were)/);
      await keyboard.type('Income');
      await page.settled();
      await pressAt(/^(Staking reward|Received|Sent|Network fee)$/);
      await page.page.waitForSelector('.panel[open]');
      assert.deepEqual(await page.accessibility(), []);
      await keyboard.press('Escape');
      const stated = await page.stated();
      assert.equal(Object.keys(stated.decisions).length, 5);
      assert.equal(stated.openingLots.length, 1);
      assert.ok(Object.values(stated.tags).every((tag) => tag === 'income') && Object.keys(stated.tags).length > 0);
      await tabTo(/^Download Koinly/);
      const { name } = await page.downloaded(() => keyboard.press('Enter'));
      assert.match(name, /koinly.*\.csv$/);
      assert.deepEqual(await shownGlance(page), await pages.glance(bodyOf([DOUBTFUL], stated)));
      await page.close();
    });
  });
}
