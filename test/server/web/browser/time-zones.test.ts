/** The report in a browser of another time zone: its days are those of the zone that it names, in figures, rows and files. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readableDay } from '../../../../server/web/values/dates.js';
import { programs } from '../../../requirements.js';
import { ALL_LOOKS, type Visit } from './pages/browser.js';
import { addressOf, bodyOf, SamplePages, shownGlance } from './pages/sample-pages.js';

const WALLET = addressOf('reg09');

for (const program of programs('browser')) {
  describe('the report in a time zone', () => {
    let pages: SamplePages;
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    /** The first rows of the table as the page shows their times. */
    const times = ({ page }: Visit): Promise<string[]> =>
      page.$$eval('.rows tbody tr:not(.spacer) time', (all) =>
        all.slice(0, 8).map((one) => one.textContent!.replace(/\s+/g, ' ').trim()),
      );
    const apiTimes = async (timezone: string): Promise<string[]> => {
      const { events } = JSON.parse(await pages.post('events', { address: WALLET, timezone }));
      return (events as { date: string; localDate: string }[])
        .toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0))
        .slice(0, 8)
        .map(({ localDate }) => `${readableDay(localDate)} ${localDate.slice(11, 16)} ${localDate.slice(19)}`);
    };
    const chooseZone = async (visit: Visit, name: string) => {
      await visit.press('Change the time zone');
      const field = (await visit.page.$('#zone:focus'))!;
      await visit.page.waitForSelector('#zones option');
      await field.type(`${name}\n`);
    };

    test('proposes the zone of the browser, and asks everything in it', async () => {
      const timezone = 'America/Los_Angeles';
      const visit = await pages.visit(WALLET, { timezone });
      assert.deepEqual(await visit.texts('#zone-line'), [`Days are those of ${timezone}. Change the time zone`]);
      assert.match((await visit.texts('.title .lead')).join(), /31 Dec 2026, America\/Los_Angeles, recorded up to/);
      assert.deepEqual(await shownGlance(visit), await pages.glance({ address: WALLET, timezone }));
      assert.deepEqual(await times(visit), await apiTimes(timezone));
      assert.equal(JSON.parse(String(await visit.page.evaluate('localStorage["hubledger.statements"]'))).timezone, '');
      const files = await pages.files({ ...bodyOf([WALLET], await visit.stated()), timezone });
      const { text } = await visit.downloaded(() => visit.press('Download Koinly'));
      assert.equal(text, files.get('events csv koinly'));
      await visit.page.evaluate("document.querySelector('#more-formats').open = true");
      const positions = await visit.downloaded(() => visit.press('Download Positions'));
      assert.ok([...files].some(([name, file]) => name.startsWith('positions csv') && file === positions.text));
      await visit.page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const paper = (await visit.texts('.paper')).join();
      assert.match(paper, /Days are those of America\/Los_Angeles; every price is that of a UTC day\./);
      assert.match(paper, /Time \(America\/Los_Angeles\)/);
      await visit.page.evaluate("dispatchEvent(new Event('afterprint'))");
      await visit.press('Change the time zone');
      await visit.requireEveryLook('zone', ALL_LOOKS);
      await visit.close();
    });

    test('keeps another zone with the answers, also in the link for an accountant', async () => {
      const timezone = 'Asia/Seoul';
      const visit = await pages.visit(WALLET, { timezone: 'Europe/Berlin' });
      await chooseZone(visit, 'Berlin by night');
      assert.match((await visit.texts('#zone-hint')).join(), /Choose a zone of the list/);
      assert.match((await visit.texts('#zone-line')).join(), /Europe\/Berlin/);
      await chooseZone(visit, 'asia/seoul');
      await visit.page.waitForFunction(`document.querySelector('#zone-line')?.textContent.includes('${timezone}')`);
      await visit.settled();
      assert.deepEqual(await times(visit), await apiTimes(timezone));
      await visit.page.reload();
      await visit.settled();
      assert.match((await visit.texts('#zone-line')).join(), /Asia\/Seoul/);
      assert.deepEqual(await shownGlance(visit), await pages.glance({ address: WALLET, timezone }));
      await visit.press('Copy link for my accountant');
      await visit.page.waitForSelector('#answers-link');
      const link = await visit.page.$eval('#answers-link', (one) => (one as unknown as { value: string }).value);
      const accountant = await pages.browser.openAt(link, { timezone: 'Europe/London' });
      await accountant.settled();
      assert.deepEqual(await accountant.texts('#zone-line'), [`Days are those of ${timezone}.`]);
      assert.deepEqual(await times(accountant), await apiTimes(timezone));
      assert.ok(await accountant.page.$('#zone:disabled'));
      await accountant.press('Use my own answers');
      await accountant.page.waitForFunction(
        `document.querySelector('#zone-line')?.textContent.includes('Europe/London')`,
      );
      await accountant.close();
      await visit.close();
    });

    test('has the days of UTC in a browser on UTC, and names them as before', async () => {
      const visit = await pages.browser.open('/', { timezone: 'Etc/UTC' });
      const bodies: string[] = [];
      visit.page.on('request', (request) => bodies.push(request.postData() ?? ''));
      await visit.page.goto(`${pages.server.base}/#addresses=${WALLET}&year=2026`);
      await visit.settled();
      assert.deepEqual(await visit.texts('#zone-line'), []);
      assert.match((await visit.texts('.title .lead')).join(), /31 Dec 2026, UTC, recorded up to/);
      assert.ok(bodies.some((body) => body.includes('"start"')) && bodies.every((body) => !body.includes('timezone')));
      await visit.close();
    });

    test('has the days of UTC where the API does not have the zone of the browser', async () => {
      const visit = await pages.browser.open(`/#addresses=${WALLET}&year=2026`, {
        leaves: true, // the browser reports the refused request
        extension: async (page) =>
          void (await page.evaluateOnNewDocument(`{
            const { resolvedOptions } = Intl.DateTimeFormat.prototype;
            Intl.DateTimeFormat.prototype.resolvedOptions = function () {
              return { ...resolvedOptions.call(this), timeZone: 'Mars/Olympus_Mons' };
            };
          }`)),
      });
      await visit.settled();
      assert.match((await visit.texts('.title .lead')).join(), /31 Dec 2026, UTC, recorded up to/);
      assert.deepEqual(await shownGlance(visit), await pages.glance({ address: WALLET }));
      await visit.close();
    });

    test('has holdings at the end of a day of the zone', async () => {
      const query = { address: WALLET, date: '2026-01-31', timezone: 'Asia/Seoul', currency: 'KRW' };
      const answer = JSON.parse(
        await pages.post('holdings', { ...query, start: undefined, end: undefined, assetDecisions: undefined }),
      );
      const visit = await pages.browser.open('/holdings', { timezone: query.timezone });
      await visit.page.type('#addresses', WALLET);
      await visit.page.$eval('#day', (input) => Object.assign(input, { value: '2026-01-31' }));
      await visit.page.$eval('#day', (input) => input.dispatchEvent(new Event('input', { bubbles: true })));
      await visit.page.select('#currency', query.currency);
      await visit.press('Show holdings');
      await visit.page.waitForSelector('#glance');
      assert.deepEqual(await visit.texts('h1'), ['Holdings on 31 Jan 2026, Asia/Seoul']);
      assert.match(visit.page.url(), /&date=2026-01-31&timezone=Asia%2FSeoul&currency=KRW$/);
      assert.equal(answer.at, '2026-01-31T15:00:00Z');
      assert.deepEqual(await visit.figures('#glance .big'), [answer.total_value]);
      assert.match((await visit.texts('#basis')).join(), /before 31 Jan 2026, 15:00:00 UTC/);
      await visit.close();
    });
  });
}
