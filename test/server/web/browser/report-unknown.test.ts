/** The report where much is unknown: coins without a price, receipts that nobody has decided about, amounts of eighteen places. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Summary } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import { WALLETS } from '../../harness.js';
import { type Content, flaggedReceipt, recordedContent, recordedEvents } from '../../published.js';
import { sharedPages } from './pages/shared-pages.js';

/** stDYM, a coin of eighteen places that no source quotes. */
const LONG = 'ibc/3F0A41ECB6FAF27E315583DBF39B5B69A7149D23959A0E4B319F7EF5C618DCD7';
const REWARD = 'staking_reward';

/** A wallet whose rewards have no price, half of them in a coin of eighteen places, and two receipts of one sender that are flagged. */
function unknownContent(): Content {
  const firstFee = recordedEvents(WALLETS.busy).find(({ category }) => category === 'fee');
  const events = recordedEvents(WALLETS.busy).map((event, i) => {
    if (event.id === firstFee?.id) return { ...event, fee_price: null };
    if (event.category !== REWARD) return event;
    const unpriced = { ...event, received_price: null };
    return i % 2 === 0
      ? unpriced
      : { ...unpriced, received_denom: LONG, received_amount: 123_000_000_000_000_015_856n };
  });
  const received = recordedEvents(WALLETS.light).filter(({ received_denom }) => received_denom !== null);
  const flagged = received.slice(0, 2).map((event) => flaggedReceipt(event, { memo: 'claim', sender: WALLETS.short }));
  return {
    ...recordedContent(),
    wallets: {
      [WALLETS.busy]: events,
      [WALLETS.light]: recordedEvents(WALLETS.light),
      [WALLETS.short]: recordedEvents(WALLETS.short),
    },
    flagged,
  };
}

for (const program of programs('browser')) {
  describe('the report', () => {
    const { server, browser } = sharedPages(program, { content: unknownContent() });

    test('says of months whose rewards have no price that they have none, not that there are no rewards', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.busy}&year=2026`);
      await visit.settled();
      const rewards = recordedEvents(WALLETS.busy).filter(({ category }) => category === REWARD);
      const months = new Set(rewards.map(({ time }) => time.slice(0, 7)));
      const bars = await visit.texts('.bars li');
      assert.ok(months.size > 0);
      assert.equal(bars.filter((text) => text.endsWith('no price')).length, months.size, bars.join());
      await visit.close();
    });

    test('counts the transactions without a price as the API does', async () => {
      const path = `/api/tax/v1/summary?address=${WALLETS.busy}&year=2026`;
      const { total } = (await (await fetch(server.base + path)).json()) as Summary;
      const lines = total.open.filter(({ question }) => question === 'rows_without_price');
      assert.ok(lines.length > 1 && lines.some(({ count }) => count > 1));
      const visit = await browser.open(`/#addresses=${WALLETS.busy}&year=2026`);
      await visit.settled();
      const count = lines.reduce((sum, line) => sum + line.count, 0);
      const bar = await visit.texts('#open-bar li');
      assert.ok(bar.includes(`Transactions without a price ${count}`), bar.join());
      await visit.close();
    });

    test('says how many fees their sum covers', async () => {
      const count = recordedEvents(WALLETS.busy).filter(({ category }) => category.startsWith('fee')).length;
      const visit = await browser.open(`/#addresses=${WALLETS.busy}&year=2026`);
      await visit.settled();
      assert.ok((await visit.texts('#glance .scope')).includes(`so far: ${count - 1} of ${count} fees`));
      await visit.close();
    });

    test('asks what rewards were worth on days without a price', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.busy}&year=2026`);
      await visit.settled();
      await visit.unfold('Transactions without a price');
      const heads = await visit.texts('#asked .item > .item-head');
      const item = `#asked .item:nth-child(${heads.findIndex((text) => text.includes('Staking reward')) + 1})`;
      await visit.page.type(`${item} form input`, '12.34');
      await visit.press('Use this value', item);
      await visit.settled();
      const { decisions } = await visit.stated();
      assert.deepEqual(Object.values(decisions), [{ mode: 'override', value_usd: '12.34' }]);
      assert.match((await visit.texts('.changes')).join(), /Income: .*12\.34.* 1 fewer open questions\./);
      await visit.close();
    });

    test('shows every digit of a long amount, and what a row is, from a phone over twice the size to a desktop', async () => {
      for (const width of [1440, 720, 390]) {
        const visit = await browser.open(`/#addresses=${WALLETS.busy}&year=2026`, { width });
        await visit.settled();
        const amounts = await visit.page.$$eval('.rows .amount', (all) =>
          all.map(({ textContent, scrollWidth, clientWidth }) => ({ textContent, isCut: scrollWidth > clientWidth })),
        );
        assert.ok(amounts.some(({ textContent }) => textContent!.includes('123.000000000000015856')));
        assert.deepEqual(
          amounts.filter(({ isCut }) => isCut),
          [],
          `${width}`,
        );
        const room = await visit.page.$$eval('.rows .what', (all) =>
          all.map((cell) => cell.clientWidth - cell.querySelector('button')!.offsetWidth),
        );
        assert.ok(Math.min(...room) >= 0, `${width}: ${room}`);
        await visit.close();
      }
    });

    test('has on paper how many receipts are left out until somebody decides', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      await visit.page.evaluate("dispatchEvent(new Event('beforeprint'))");
      assert.ok((await visit.texts('.paper tr')).includes('Suspicious incoming transfers, left out of all figures2'));
      await visit.page.evaluate("dispatchEvent(new Event('afterprint'))");
      await visit.close();
    });

    test('has on paper which days are not recorded, and what its sums lack', async () => {
      const printed = async (days: string, wallet = WALLETS.busy) => {
        const visit = await browser.open(`/#addresses=${wallet}&${days}`);
        await visit.settled();
        await visit.page.evaluate("dispatchEvent(new Event('beforeprint'))");
        const text = (await visit.texts('.paper')).join();
        await visit.page.evaluate("dispatchEvent(new Event('afterprint'))");
        await visit.close();
        return text;
      };
      const unknown = await printed('year=2020');
      assert.match(unknown, /1 Jan 2020 to 31 Dec 2020, UTC, not recorded/);
      assert.doesNotMatch(unknown, /\$0\.00/);
      assert.match(
        await printed('year=2026'),
        /31 Dec 2026, UTC, recorded up to .*Without a price \(part of no total\)[1-9]\d* income payments?, /,
      );
    });

    test('has on paper no cost or gain of zero for sales of which nothing is known', async () => {
      const path = `/api/tax/v1/summary?address=${WALLETS.busy}&year=2026`;
      const { total } = (await (await fetch(server.base + path)).json()) as Summary;
      const unknown = total.disposals.filter(
        (one) => one.count === one.refunds + one.without_price + one.without_basis,
      );
      assert.ok(unknown.some(({ gain_usd, proceeds_usd }) => gain_usd === '' && proceeds_usd !== ''));
      const visit = await browser.open(`/#addresses=${WALLETS.busy}&year=2026`);
      await visit.settled();
      assert.doesNotMatch((await visit.texts('#glance .sums')).join(), /Known cost\$0\.00/);
      await visit.page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const lines = await visit.texts('.paper tr');
      for (const { account, category } of unknown) {
        const line = lines.find((text) => text.startsWith(`${account} (${category})`))!;
        assert.match(line, /unknownunknown$/);
      }
      await visit.page.evaluate("dispatchEvent(new Event('afterprint'))");
      await visit.close();
    });

    test('leads from coins that came before its days at unknown cost to the days on which they came', async () => {
      const events = recordedEvents(WALLETS.short);
      const days = `start=${events.at(-1)!.time.slice(0, 10)}&end=2026-12-31`;
      const visit = await browser.open(`/#addresses=${WALLETS.short}&${days}`);
      await visit.settled();
      assert.match((await visit.texts('#open-bar')).join(), /Unknown costs from before this period/);
      const words = async () => (await visit.texts('#settle')).join();
      assert.doesNotMatch(await words(), /There are no open questions/);
      await visit.pressQuestion('Unknown costs from before this period');
      await visit.unfold('Unknown costs from before this period');
      assert.match(await words(), /Some coins of unknown cost arrived before this period/);
      await visit.page.locator('#asked .choices button').click();
      await visit.settled();
      assert.match(await words(), /Incoming transfers of unknown cost/);
      assert.doesNotMatch(await words(), /arrived before this period/);
      await visit.close();
    });

    test('says that a correction of several receipts holds for each of them', async () => {
      const visit = await browser.open(`/#addresses=${WALLETS.light}&year=2026`);
      await visit.settled();
      await visit.press('Correct…', '.item');
      assert.match(
        (await visit.texts('.inline-form')).join(),
        /The value of each one.*The price that you paid for each one/,
      );
      await visit.page.focus('.inline-form input');
      await visit.page.keyboard.press('Escape');
      assert.equal(await visit.page.evaluate('document.activeElement.textContent'), 'Correct…');
      assert.equal((await visit.texts('.inline-form')).length, 0);
      await visit.close();
    });
  });
}
