/** Every figure of the report in a real browser, on the whole sample: each stands where the API's answer has it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Event, Holdings, PriceSeries, Summary, SummarySheet } from '../../../../schemas/types.generated.js';
import { IS_NIGHT, programs } from '../../../requirements.js';
import { KNOWN } from '../../../tracked-wallets/search-node.js';
import type { Visit } from './pages/browser.js';
import { ownWallets, REGULAR, SamplePages, walked } from './pages/sample-pages.js';

type Texts<Row> = { readonly [Name in keyof Row]: string };

/** Parses an answer with its numbers as the texts that they are: the page never makes a number of a figure. */
const exact = <Answer>(text: string): Answer =>
  JSON.parse(text.replace(/"(\w+)":(-?\d+(?:\.\d+)?)(?=[,}])/g, '"$1":"$2"'));

const known = (...figures: readonly string[]) => figures.filter((figure) => figure !== '');

/** The figures of the cards, one list a card, from the summary: an unknown figure is none. */
function cardsOf({ income_usd, income, disposed, disposals, fees_usd }: SummarySheet): string[][] {
  const unknown = disposed.proceeds_basis_unknown_usd;
  const { sales_known, sales_short, sales_long, gain_usd } = disposed;
  const sum = sales_known > 0 ? [gain_usd] : [];
  return [
    [...known(income_usd), ...income.flatMap((kind) => known(kind.quantity, kind.income_usd))],
    [
      // With less than half of the sales, the sum follows in small letters.
      ...sum,
      ...(sales_short > 0 ? [disposed.gain_short_usd] : []),
      ...(sales_long > 0 ? [disposed.gain_long_usd] : []),
      ...(Number(unknown) > 0 ? [unknown] : []),
      ...known(disposed.proceeds_usd, disposed.cost_usd, unknown),
    ],
    [
      ...known(fees_usd),
      ...disposals.filter(({ category }) => /^fee(_failed)?$/.test(category)).map(({ quantity }) => quantity),
    ],
  ];
}

/** What the cards say that their figures lack. */
function lacksOf({ income, disposed, disposals }: SummarySheet): string[] {
  const unpriced = income.reduce((sum, { without_price }) => sum + without_price, 0);
  const sends = disposals
    .filter(({ account }) => account === 'Transfers Out: Unclassified')
    .reduce((sum, { count, refunds }) => sum + count - refunds, 0);
  const lacks = [String(unpriced), String(sends), disposed.proceeds_basis_unknown_usd, String(disposed.without_price)];
  return lacks.filter((figure) => Number(figure) > 0);
}

/** The figures of a row in the table: what came, what left and the fee, a move within the wallet once; then the worth. */
function rowOf(row: Texts<Event>): string[] {
  const isMove = row.sentAmount !== '' && row.sentAmount === row.receivedAmount && row.sentDenom === row.receivedDenom;
  const amounts = isMove ? [row.sentAmount] : known(row.receivedAmount, row.sentAmount, row.feeAmount);
  return [`${row.date} UTC`, ...amounts, ...(String(row.priceMissing) === 'true' ? [] : [row.valueUsd])];
}

/** Scrolls through the table of rows. @returns the figures of each row, in its order */
async function walkRows({ page }: Visit, count: number): Promise<string[][]> {
  const rows = new Map<number, string[]>();
  for (let row = 0; rows.size < count; row += 8) {
    const last = Math.min(row + 8, count);
    await page.evaluate(`document.querySelector('.rows').scrollTop = 60 * ${row}`);
    await page.waitForSelector(`.rows tr[aria-rowindex="${last + 1}"]`);
    const shown = await page.$$eval('.rows tbody tr:not(.spacer)', (all) =>
      all.map((one): [number, string[]] => [
        Number(one.getAttribute('aria-rowindex')) - 2,
        [
          one.querySelector('time')!.getAttribute('title')!,
          ...[...one.querySelectorAll('data')].map((figure) => figure.getAttribute('value')!),
        ],
      ]),
    );
    for (const [index, figures] of shown) rows.set(index, figures);
  }
  return [...rows].sort(([one], [other]) => one - other).map(([, figures]) => figures);
}

/** The cells of the table under a chart, without the signs that make them readable. */
const cellsOf = ({ page }: Visit, chart: number): Promise<string[][]> =>
  page.$$eval(`.charts > :nth-child(${chart}) tbody tr`, (all) =>
    all.map((one) => [...one.querySelectorAll('th, td')].map((cell) => cell.textContent!.replace(/[$,]/g, ''))),
  );

/** Units of the eighteenth place. */
const unitsOf = (figure: string): bigint => {
  const [whole = '', part = ''] = figure.split('.');
  return BigInt(whole + part.padEnd(18, '0'));
};

/** The rewards by month as the bars show them, of months that have any. */
function rewardsOf(events: readonly Texts<Event>[]): bigint[] {
  const months = new Map<string, bigint>();
  for (const { category, date, valueUsd } of events) {
    if (!/^(staking_reward|liquid_stake_reward|validator_commission)$/.test(category)) continue;
    const month = date.slice(0, 7);
    months.set(month, (months.get(month) ?? 0n) + unitsOf(valueUsd));
  }
  return [...months.entries()]
    .sort()
    .map(([, units]) => units)
    .filter((units) => units > 0n);
}

/** The cells of holdings by day: staked coins without those that are unbonding, which the API counts among them. */
const heldOf = ({ date, staked, liquid, unbonding, reward }: Texts<Holdings>): (string | bigint)[] => [
  date,
  unitsOf(staked) - unitsOf(unbonding),
  ...[liquid, unbonding, reward ?? ''].map(unitsOf), // in datasets of single wallets, only the last day has rewards
];

/** A running server (REPORT_SERVER) is walked instead of the whole sample. */
const DATASETS = [
  { name: 'of all wallets', addresses: walked(REGULAR.slice(0, IS_NIGHT ? 20 : 10)), publish: undefined },
  ...(process.env.REPORT_SERVER
    ? []
    : [{ name: 'of single wallets', addresses: Object.values(KNOWN), publish: ownWallets }]),
];

const runs = programs('browser').flatMap((program) => DATASETS.map((dataset) => ({ program, ...dataset })));

for (const { program, name, addresses, publish } of runs) {
  describe(`the report on a dataset ${name}`, () => {
    let pages: SamplePages;
    before(async () => {
      pages = await SamplePages.start(program, publish);
    });
    after(() => pages.stop());

    const get = async <Answer>(path: string): Promise<Answer> =>
      exact<Answer>(await (await fetch(`${pages.server.base}/api/tax/v1/${path}`)).text());

    test('shows every figure where the API has it: cards, rows, rewards, holdings, prices', async (t) => {
      assert.ok(addresses.length > 0);
      const compare = async (address: string) => {
        const { total, start, coverage }: Summary = JSON.parse(await pages.post('summary', { address }));
        const { events } = exact<{ events: Texts<Event>[] }>(await pages.post('events', { address }));
        const visit = await pages.visit(address);
        await visit.unfold();
        const cards: string[][] = [];
        for (const card of [1, 2, 3]) cards.push(await visit.figures(`#glance .card:nth-child(${card})`));
        assert.deepEqual(cards, cardsOf(total), address);
        const lacks = (await visit.texts('#glance .without dd')).map((text) => text.replace(/[$,]|\D+$/g, ''));
        assert.deepEqual(lacks, lacksOf(total), address);
        const isLarge = ['all', 'most'].includes(total.disposed.gain_known) && total.disposed.sales > 0;
        const large = await visit.figures('#glance .card:nth-child(2) .big');
        assert.equal(large.length, isLarge ? 1 : 0, address);

        const newest = events.toSorted((one, other) => (one.date < other.date ? 1 : one.date > other.date ? -1 : 0));
        assert.deepEqual(await walkRows(visit, events.length), newest.map(rowOf), address);

        const bars = (await visit.figures('.bars')).map(unitsOf).filter((units) => units > 0n);
        assert.deepEqual(bars, rewardsOf(events), address);

        const held = await get<{ history: Texts<Holdings>[] }>(`balances?address=${address}&history=true`);
        const days = held.history.filter(({ date }) => date >= start && date <= coverage.index_end);
        const shown = (await cellsOf(visit, 2)).map(([date, ...figures]) => [date, ...figures.map(unitsOf)]);
        assert.deepEqual(shown, days.map(heldOf), address);
        const priced = `price-series?start=${start}&end=${coverage.index_end}`;
        const { points } = await get<{ points: Texts<PriceSeries['points'][number]>[] }>(priced);
        const prices = points.map(({ date, usd, found }) => [date, String(found) === 'true' ? usd : 'no price']);
        assert.deepEqual(await cellsOf(visit, 3), prices);
        await visit.close();
      };
      for (const address of addresses) await t.test(address, () => compare(address));
    });
  });
}
