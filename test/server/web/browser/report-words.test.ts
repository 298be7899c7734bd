/** Words of the report that keep figures from being misread: the zone of its days, and what is not proved. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { sharedPages } from './pages/shared-pages.js';

const PATH = `/#addresses=${WALLETS.light}`;
const holdings_stop = { height: 700, day: '2026-03-02', reason: 'block 700, EndBlock: bonded pool' };

for (const program of programs('browser')) {
  describe('the report', () => {
    const manifest = { holdings_until: 699, holdings_stop };
    const { server, browser } = sharedPages(program, { manifest });

    test('says that its days are UTC and where holdings end, and cuts off no row at twice the size of letters', async () => {
      const visit = await browser.open(`${PATH}&year=2026`);
      await visit.settled();
      assert.match((await visit.texts('.title .lead')).join(), /31 Dec 2026, UTC/);
      assert.ok((await visit.texts('.rows .clock')).every((text) => /^\d\d:\d\d UTC$/.test(text)));
      const held = async () => (await visit.texts('.charts > :nth-child(2) .fine:not(.screen)')).join();
      assert.equal(await held(), 'Holdings are proved up to 1 Mar 2026: later days are not shown.');
      const small = await visit.page.$$eval('nav a, button, select, input, summary', (all) =>
        all.filter((one) => one.offsetHeight > 0 && one.offsetHeight < 24).map((one) => one.textContent),
      );
      assert.deepEqual(small, [], 'room for a finger');
      await visit.page.evaluate("document.documentElement.style.fontSize = '200%'");
      const cut = await visit.page.$$eval('.rows tbody td', (cells) =>
        cells.filter((cell) => cell.scrollHeight > cell.clientHeight).map((cell) => cell.textContent),
      );
      assert.deepEqual(cut, []);
      await visit.page.goto('about:blank');
      await visit.page.goto(`${server.base}${PATH}&start=2026-03-10&end=2026-03-20`);
      await visit.settled();
      assert.equal(await held(), 'Holdings of this period are not proved, so they are not shown.');
      await visit.close();
    });
  });
}
