/** The statement of a validator in a real browser: its figures are those of the API, unknown ones are no zeros. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ValidatorStatement } from '../../../../schemas/types.generated.js';
import { grouped, withCents } from '../../../../server/web/values/decimal.js';
import { programs } from '../../../requirements.js';
import { OPERATORS, WALLETS } from '../../harness.js';
import { sharedPages } from './pages/shared-pages.js';

for (const program of programs('browser')) {
  describe('the statement of a validator', () => {
    const { server, browser } = sharedPages(program);
    const statementOf = async (query: string): Promise<ValidatorStatement> => {
      const url = `${server.base}/api/tax/v1/validator-statement?validator=${OPERATORS.alpha}&${query}`;
      return (await (await fetch(url)).json()) as ValidatorStatement;
    };

    test('shows the year, month by month, as the API does, in every look and on paper', async () => {
      const visit = await browser.open(`/validator/${OPERATORS.alpha}?year=2026`);
      await visit.page.waitForSelector('#months');
      await visit.loaded();
      const { months, total } = await statementOf('start=2026-01-01&end=2026-12-31');
      assert.deepEqual(await visit.texts('h1'), ['Alpha Node']);
      const cards = await visit.texts('#glance .card .big');
      const dollars = [total.commission_usd, total.delegator_rewards_usd, total.own_rewards_usd];
      assert.deepEqual(
        cards.slice(0, 3),
        dollars.map((usd) => `$${grouped(withCents(usd))}`),
      );
      const rows = await visit.page.$$eval('#months .scroller:first-of-type tbody tr', (all) =>
        all.map((row) => [...row.querySelectorAll('data, .unknown')].map((one) => one.getAttribute('value') ?? '')),
      );
      assert.equal(rows.length, months.length);
      const known = (amount: string, usd: string, missing: number) =>
        missing > 0 && Number(usd) === 0 && Number(amount) > 0 ? '' : usd;
      for (const [i, month] of months.entries()) {
        const { commission_amount, commission_usd, delegator_rewards_amount, delegator_rewards_usd } = month;
        assert.deepEqual(rows[i], [
          commission_amount,
          known(commission_amount, commission_usd, month.price_missing_days),
          delegator_rewards_amount,
          known(delegator_rewards_amount, delegator_rewards_usd, month.price_missing_days),
        ]);
      }
      assert.ok(rows.flat().includes(''), 'a month whose rewards had no price');
      assert.match((await visit.texts('.notice')).join(), /Not every day is recorded: figures of .*Apr 2026/);
      await visit.requireEveryLook('statement');
      await visit.page.emulateMediaType('print');
      assert.deepEqual(
        await visit.page.$$eval('.masthead, .statement-controls', (all) => all.map((one) => one.checkVisibility())),
        [false, false],
      );
      await visit.page.emulateMediaType('screen');
      const { name, text } = await visit.downloaded(() => visit.press('Download CSV'));
      assert.match(name, /^validator-statement-\w+-2026-01-01-2026-12-31\.csv$/);
      assert.equal(text.trim().split('\r\n').length, months.length + 1);
      await visit.page.select('#year', '2025');
      await visit.page.waitForFunction(`document.querySelector('#glance h2')?.textContent.startsWith('2025')`);
      assert.match(visit.page.url(), /\?year=2025$/);
      await visit.page.goBack();
      await visit.page.waitForFunction(`document.querySelector('#glance h2')?.textContent.startsWith('2026')`);
      await visit.close();
    });

    test('a year that is not recorded has no figures', async () => {
      const visit = await browser.open(`/validator/${OPERATORS.alpha}?year=2020`);
      await visit.page.waitForSelector('.notice[role=status]');
      assert.match((await visit.texts('.notice[role=status]'))[0]!, /^2020 is not recorded/);
      assert.deepEqual(await visit.texts('.figure'), []);
      await visit.close();
    });

    test('a validator that the chain has not, and an address that is none, are refused', async () => {
      const unknown = 'cosmosvaloper1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqkh52tw';
      const pages = [unknown, WALLETS.light, `${OPERATORS.alpha}x`].map(async (one) => {
        const answer = await fetch(`${server.base}/validator/${one}`, { headers: { accept: 'text/html' } });
        return [answer.status, (await answer.text()).includes('Page not found')];
      });
      const [valid, wallet, broken] = await Promise.all(pages);
      assert.deepEqual(
        [wallet, broken],
        [
          [404, true],
          [404, true],
        ],
      );
      assert.deepEqual(valid, [200, false], 'only the dataset shows whether the validator exists');
      const visit = await browser.open(`/validator/${unknown}`, { leaves: true });
      await visit.page.waitForSelector('.load-state');
      assert.match((await visit.texts('.load-state'))[0]!, /has no validator/);
      await visit.close();
    });
  });
}
