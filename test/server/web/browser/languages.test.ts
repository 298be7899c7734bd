/** Pages in browsers of other languages: the same figures with other marks, and amounts that nobody misreads. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { daysIn } from '../../../../server/web/values/dates.js';
import { amountsIn } from '../../../../server/web/values/decimal.js';
import { programs } from '../../../requirements.js';
import type { Visit } from './pages/browser.js';
import { bodyOf, DOUBTFUL, SamplePages, shownGlance } from './pages/sample-pages.js';

for (const program of programs('browser')) {
  describe('a browser of another language', () => {
    let pages: SamplePages;
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    const report = (language: string): Promise<Visit> => pages.visit(DOUBTFUL, { language });

    /** Each figure as the API has it and as the page writes it, without signs and blanks. */
    const figures = ({ page }: Visit, within: string): Promise<[string, string][]> =>
      page.$$eval(`${within} data`, (all) =>
        all.map((one): [string, string] => [
          one.getAttribute('value') ?? one.outerHTML,
          one.textContent!.replace(/^[+−-]|\s/g, ''),
        ]),
      );

    test('sees every figure with the marks of its language, and days in its form', async () => {
      for (const language of ['de-DE', 'fr-FR', 'es-ES', 'it-IT', 'ja-JP', 'ko-KR', 'pt-BR']) {
        const locale = language === 'pt-BR' ? 'en-US' : language;
        const { grouped, dollars } = amountsIn(locale);
        const visit = await report(language);
        const shown = await figures(visit, ':is(#glance, .rows)');
        assert.ok(shown.length > 10);
        for (const [value, text] of shown) {
          const written = [grouped(value), dollars(value)].map((one) => one.replace(/^[−-]|\s/g, ''));
          assert.ok(written.includes(text), `${language}: ${value} is ${text}`);
        }
        const { readableDay } = daysIn(locale);
        assert.ok((await visit.texts('.title .lead')).join().startsWith(readableDay('2026-01-01')), language);
        assert.deepEqual(await visit.accessibility(), []);
        await visit.close();
      }
    });

    test('has the point in files, and reads a typed comma as its language does, or refuses it', async () => {
      const visit = await report('de-DE');
      await visit.unfold('Coins from before the records');
      const quantity = (await visit.page.$('#asked .item:nth-child(1) input'))!;
      await quantity.type('1.234');
      assert.match((await visit.texts('#asked .item:nth-child(1) .fault')).join(), /Two readings: write/);
      await visit.paste(
        '#asked .item:nth-child(2) form',
        'amount;date;cost\n1,234;2024-05-03;55,5\n2;31.1.2023;1.020,00',
      );
      const typed = () =>
        visit.page.$$eval('#asked .item:nth-child(2) input', (all) =>
          all.map((one) => (one as unknown as { value: string }).value),
        );
      const lines = ['1.2340', '2024-05-03', '55.5', '2', '2023-01-31', '1020.00', '', '', ''];
      assert.deepEqual(await typed(), lines, 'an amount with two readings gets a further digit');
      await visit.press('Use these costs', '#asked .item:nth-child(2)');
      await visit.settled();
      const stated = await visit.stated();
      assert.deepEqual(
        stated.openingLots.map(({ quantity }) => quantity),
        ['1.2340', '2'],
      );
      assert.deepEqual(
        await shownGlance(visit),
        await pages.glance({ address: DOUBTFUL, openingLots: stated.openingLots }),
      );
      await visit.press('Leave all 5 out', '#downloads');
      await visit.settled();
      const files = await pages.files(bodyOf([DOUBTFUL], await visit.stated()));
      const { text } = await visit.downloaded(() => visit.press('Download Koinly'));
      assert.equal(text, files.get('events csv koinly'));
      await visit.close();
    });

    test('sees holdings with its marks, a currency by its code, and instants that it can type', async () => {
      const fragment = `addresses=${DOUBTFUL}&date=2026-01-31&currency=EUR`;
      const visit = await pages.browser.open(`/holdings#${fragment}`, { language: 'de-DE' });
      await visit.page.waitForSelector('#glance');
      const { grouped } = amountsIn('de-DE');
      for (const [value, text] of await figures(visit, 'main')) assert.equal(text, grouped(value));
      assert.deepEqual(await visit.texts('h1'), ['Holdings on 31.01.2026']);
      assert.match((await visit.texts('#glance .big')).join(), /^[\d.]+,\d\d EUR$/);
      assert.deepEqual(await visit.accessibility(), []);
      await visit.close();
    });
  });
}
