/** Every open question of the report in a real browser: each can be settled where it is asked, and then none is open. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Summary } from '../../../../schemas/types.generated.js';
import { programs } from '../../../requirements.js';
import type { Visit } from './pages/browser.js';
import { addressOf, DOUBTFUL, REGULAR, SamplePages, walked } from './pages/sample-pages.js';

/** Presses everything that settles a question, as a person would who does not know the costs. Returns the presses. */
const SETTLE = `(() => {
  const pressed = [];
  const press = (button) => { if (button) { button.click(); pressed.push(button.textContent); } };
  for (const question of document.querySelectorAll('.question:has(.count:not(.done))')) {
    const id = question.querySelector('summary').id;
    const buttons = [...question.querySelectorAll('button')];
    const named = (name) => buttons.filter((one) => one.textContent.startsWith(name));
    const open = (all) => all.filter((one) => one.getAttribute('aria-pressed') === 'false');
    if (id === 'receipts') press(named('Leave all')[0] ?? open(named('Leave out'))[0]);
    else if (id === 'own-transfers') press(named('All mine')[0]);
    else if (id === 'sends') press(named('All ')[0] ?? open(named('Sale or payment'))[0]);
    else if (id === 'places') press(open(named('Yes'))[0]);
    else for (const one of open([...named('Leave all unknown').slice(0, 1), ...named('Leave unknown')])) if (one.isConnected) press(one);
    for (const more of named('Show more')) press(more);
  }
  return pressed;
})()`;

/** Opens the questions that are not settled, and tests whether each of them is rendered. */
const OPENED = `[...document.querySelectorAll('.question:has(.count:not(.done))')].every((question) => {
  question.open = true;
  return question.querySelector('.question-body');
})`;

const open = ({ page }: Visit): Promise<string[]> =>
  page.$$eval('.question .count:not(.done)', (all) => all.map((one) => one.parentElement!.textContent!));

async function settleAll(visit: Visit, name: string): Promise<void> {
  for (let turn = 0; (await open(visit)).length > 0; turn++) {
    assert.ok(turn < 40, `${name} is not settled: ${(await open(visit)).join(', ')}`);
    await visit.page.waitForFunction(OPENED);
    await visit.page.evaluate(SETTLE);
    await visit.settled();
  }
}

let pages: SamplePages;

for (const program of programs('browser')) {
  describe('the report', () => {
    before(async () => {
      pages = await SamplePages.start(program);
    });
    after(() => pages.stop());

    test('has an element that settles each open question, and none is open after all are settled', async (t) => {
      const named = ['heavy1', 'tokenizer', 'lp', 'leaver'].map(addressOf);
      const pair = ['heavy1', 'heavy1second'].map(addressOf).join();
      const settle = async (address: string) => {
        const visit = await pages.visit(address);
        const bar = async () => (await visit.texts('#open-bar li')).sort();
        const badges = (await visit.texts('.question > summary:has(.count:not(.done))')).map((text) =>
          text.replace(/ ?([\d,]+) open$/, ' $1'),
        );
        assert.deepEqual(await bar(), badges.sort(), 'the bar and the sections count alike');
        const step = async () => (await visit.texts('.jump > p')).join();
        assert.match(await step(), /^Step (2 of 3: \d of \d answered|3 of 3: download your files)$/);
        await settleAll(visit, address);
        assert.deepEqual(await bar(), [], address);
        assert.equal(await step(), 'Step 3 of 3: download your files');
        assert.deepEqual(await visit.texts('#open-bar h3'), ['No open questions']);
        assert.match((await visit.texts('#ready')).join(), /^Your files are ready\./);
        await visit.close();
      };
      for (const address of walked([DOUBTFUL, ...named, ...REGULAR.slice(0, 5), pair])) {
        await t.test(address, () => settle(address));
      }
    });

    test('shows no sum of less than half of the sales in large letters, and no zero for an unknown term', async () => {
      const found = new Set<string>();
      for (const address of walked([DOUBTFUL, ...REGULAR.slice(5, 12)])) {
        const { total }: Summary = JSON.parse(await pages.post('summary', { address }));
        const { sales, sales_short, sales_long, sales_known, gain_known } = total.disposed;
        found.add(gain_known);
        const visit = await pages.visit(address);
        const [, gain] = await visit.texts('#glance .big');
        assert.equal(gain === 'not known yet', gain_known === 'some' || gain_known === 'none', address);
        const terms = await visit.texts('#glance .card:nth-child(2) .parts > :nth-child(-n + 2) dd');
        for (const [i, known] of [sales_short, sales_long].entries()) {
          const word = gain_known === 'all' ? 'none' : 'not known yet';
          if (known === 0) assert.equal(terms[i], word, address);
          else if (gain_known !== 'all') assert.match(terms[i]!, new RegExp(`so far: ${known} sales?$`), address);
        }
        const [scope = ''] = await visit.texts('#glance .card:nth-child(2) .scope');
        const isPartial = gain_known === 'most' || gain_known === 'some';
        assert.equal(scope.split(',')[0], isPartial ? `so far: ${sales_known} of ${sales} sales` : '', address);
        if (sales > 0) {
          await visit.unfold();
          const [link] = await visit.texts('#glance .card:nth-child(2) .how button.link');
          assert.match(link!, new RegExp(`^Show ${sales} sales?(, \\d+ of them network fees)?$`), address);
          await visit.press(link!, '#glance');
          assert.match((await visit.texts('#rows [role=status]')).join(), new RegExp(`^${sales} of `), address);
        }
        await visit.close();
      }
      assert.ok(found.size > 1, [...found].join());
    });
  });
}
