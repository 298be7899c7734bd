/** A tax year by the rules of each country, against the other answers of the same dataset. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { loadReference } from '../../../pipeline/reference.js';
import type { HoldingsAt, Summary, TaxYear } from '../../../schemas/types.generated.js';
import { grouped, printedName } from '../../../server/tax/formats/paper.js';
import { NightCase, SAMPLE_CHAIN } from '../../pipeline/night-case.js';
import { programs } from '../../requirements.js';
import { startServer, type TestServer } from '../harness.js';
import { parseTable } from '../parse-csv.js';
import { posting } from '../people/accounts/signed-in.js';

const { countries } = loadReference();
const named: { name: string; address: string }[] = JSON.parse(
  readFileSync(join(projectRoot(), 'data/sample/wallets.json'), 'utf8'),
);
const wallets = named.filter(({ name }) => /^(heavy1|heavy2|reg0[1-6])$/.test(name)).map(({ address }) => address);
const [heavy] = wallets as [string, ...string[]];

const chain = new NightCase(SAMPLE_CHAIN);
let server: TestServer;
before(async () => {
  const rates = join(projectRoot(), 'data/sample/eurofxref-hist.csv');
  chain.variables = { ...chain.variables, HUBLEDGER_RATES_FILE: rates };
  await chain.published('data');
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  chain.remove();
});

const DECIDED = JSON.stringify({ '*': { mode: 'exclude' } });

const ask = (path: string, query: Record<string, string>) =>
  server.ask(`/api/tax/v1/${path}?${new URLSearchParams({ asset_decisions: DECIDED, ...query })}`);

async function get<Body>(path: string, query: Record<string, string>): Promise<Body> {
  const { status, text } = await ask(path, query);
  assert.equal(status, 200, `${path} ${JSON.stringify(query)}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

const yearOf = (query: Record<string, string>) => get<TaxYear>('tax-year', { year: '2026', ...query });
/** Sums texts of money, in minor units with two digits. */
const cents = (texts: Iterable<string>) => [...texts].reduce((sum, text) => sum + Math.round(Number(text) * 100), 0);

test('every country answers, and its CSV adds up to its JSON', async () => {
  for (const { country, method, from, scope } of countries) {
    if (from !== undefined) continue;
    for (const address of wallets) {
      const year = country === 'AU' ? '2025' : '2026'; // the tax year that overlaps the sample
      const query = { address, country, complete: 'true', year };
      const { income, disposals, holdings } = await yearOf(query);
      const table = async (section: string) =>
        parseTable((await ask('tax-year', { ...query, format: 'csv', section })).text);
      const lines = await table('disposals');
      const isKnown = (line: Record<string, string>) =>
        line.proceeds !== '' && (line.cost !== '' || ['none', 'portfolio'].includes(method));
      const known = lines.filter(isKnown);
      assert.equal(
        cents(known.map((line) => line.proceeds!)),
        cents([disposals.proceeds ?? '0']),
        `${country} ${address}`,
      );
      if (method !== 'none' && method !== 'portfolio') {
        assert.equal(cents(known.map((line) => line.gain!)), cents([disposals.gain ?? '0']), country);
        const exempt = known.filter((line) => line.exempt === 'true');
        assert.equal(cents(exempt.map((line) => line.gain!)), cents([disposals.exempt_gain ?? '0']));
        assert.equal(lines.filter((line) => line.proceeds !== '' && line.cost === '').length, disposals.unknown.count);
      }
      assert.equal(lines.filter((line) => line.proceeds === '').length, disposals.proceeds_missing);
      for (const { denom, quantity } of disposals.quantity_by_asset) {
        const sold = lines.filter((line) => line.denom === denom).reduce((sum, line) => sum + Number(line.quantity), 0);
        assert.ok(Math.abs(sold - Number(quantity)) < 1e-6, `${country} ${address} ${denom}`);
      }
      const kinds = await table('income');
      assert.equal(cents(kinds.map(({ value }) => value!)), cents([income.total ?? '0']));
      assert.equal((await table('holdings')).length, holdings!.assets.length);
      assert.equal(disposals.withheld, method === 'portfolio' ? 'portfolio_value_needed' : null, scope);
    }
  }
});

test('the American year is that of the summary', async () => {
  for (const address of wallets) {
    const { income, disposals } = await yearOf({ address, country: 'us' });
    const { total } = await get<Summary>('summary', { address, year: '2026' });
    assert.equal(cents([income.total ?? '0']), cents([total.income_usd || '0']));
    assert.equal(disposals.count, total.disposed.sales);
    const { gain_short_usd, gain_long_usd } = total.disposed;
    assert.deepEqual(
      [cents([disposals.short_gain ?? '0']), cents([disposals.long_gain ?? '0'])],
      [cents([gain_short_usd || '0']), cents([gain_long_usd || '0'])],
    );
  }
});

test('one wallet of a person is one address, and gains of a person need all wallets', async () => {
  for (const address of wallets) {
    const usual = { address, currency: 'EUR', timezone: 'Europe/Madrid' };
    const one = await yearOf({ ...usual, method: 'fifo', income: 'claim' });
    const { disposals, income } = await yearOf({ ...usual, country: 'ES', complete: 'true' });
    assert.deepEqual([disposals, income], [one.disposals, one.income]);
    const { disposals: withheld, form } = await yearOf({ ...usual, country: 'ES' });
    assert.deepEqual(
      [withheld.withheld, withheld.cost, withheld.gain, withheld.taxable_gain],
      ['pool_not_complete', null, null, null],
    );
    assert.equal(withheld.proceeds, disposals.proceeds);
    assert.equal(form.find(({ line }) => line!.endsWith('ganancia'))!.value, null);
  }
});

/** A year's end in the middle of the sample. */
const EDGE = '2026-04-05T23:00:00Z';
const BRITISH = { country: 'GB', complete: 'true' };

test('claims first use up what was income when the year ended', async () => {
  let counted = 0;
  for (const address of wallets) {
    const quantities = async (income: string) => {
      const { income: figures } = await yearOf({ address, ...BRITISH, income });
      return new Map(figures.kinds.map(({ kind, denom, quantity }) => [`${kind} ${denom}`, Number(quantity)]));
    };
    const [claims, both] = [await quantities('claim'), await quantities('claim_and_year_end')];
    const { wallets: held } = await get<HoldingsAt>('holdings', { address, at: EDGE });
    const { year } = await yearOf({ address, ...BRITISH });
    assert.deepEqual(year, { name: '2026/27', start: '2026-04-06T00:00:00+01:00', end: '2027-04-06T00:00:00+01:00' });
    for (const { denom, unclaimed } of held[0]!.assets) {
      const key = `staking_reward ${denom}`;
      const claimed = claims.get(key) ?? 0;
      const expected = claimed - Math.min(claimed, Number(unclaimed));
      assert.ok(Math.abs((both.get(key) ?? 0) - expected) < 1e-9, `${address} ${denom}`);
      if (Number(unclaimed) > 0) counted++;
    }
  }
  assert.ok(counted > 0);
});

test('what is unclaimed when a year ends is that of /holdings', async () => {
  for (const address of wallets) {
    const { income } = await yearOf({ address, ...BRITISH, income: 'claim_and_year_end', year: '2025' });
    const { wallets: held } = await get<HoldingsAt>('holdings', { address, at: EDGE });
    const unclaimed = held[0]!.assets.filter((asset) => Number(asset.unclaimed) > 0);
    const kinds = income.kinds.filter(({ kind }) => kind === 'unclaimed_at_year_end');
    assert.deepEqual(
      kinds.map(({ denom, quantity }) => [denom, quantity]),
      unclaimed.map(({ denom, unclaimed: quantity }) => [denom, quantity]).sort(),
    );
  }
});

test('stated amounts count in the currency of the year', async () => {
  const query = { address: heavy, country: 'DE', year: '2026' };
  const { events } = await get<{ events: { id: string; category: string }[] }>('events', {
    ...{ address: heavy, start: '2026-02-01' },
  });
  const { id } = events.find(({ category }) => category === 'staking_reward')!;
  const stated = async (money: Record<string, string>) => {
    const asset_decisions = JSON.stringify({ '*': { mode: 'exclude' }, [id]: { mode: 'override', ...money } });
    return cents([(await yearOf({ ...query, asset_decisions })).income.total!]);
  };
  const none = await stated({ value_usd: '0' });
  assert.equal((await stated({ currency: 'EUR', value: '100' })) - none, 10_000);
  const dollars = (await stated({ value_usd: '100' })) - none;
  assert.ok(dollars > 8_000 && dollars < 9_000, String(dollars));
  const lot = { denom: 'uatom', quantity: '1', acquired_date: '2021-05-01' };
  const withLot = (cost: Record<string, string>) =>
    ask('tax-year', { ...query, opening_lots: JSON.stringify([{ ...lot, ...cost }]) });
  assert.equal(
    (await withLot({ currency: 'EUR', cost_basis: '5' })).status,
    200,
    'the currency of the year needs no rate',
  );
  const { status, text } = await withLot({ cost_basis_usd: '5' });
  assert.equal(status, 400);
  assert.match(text, /none of EUR for 2021-05-01 or the 7 days before: state cost_basis in EUR instead/);
});

test('what is unclaimed at an end that is no edge is unknown of every coin, and missing in the income', async () => {
  const query = { ...BRITISH, timezone: 'Asia/Kathmandu', income: 'claim_and_year_end', year: '2025' };
  const { income, holdings, open } = await yearOf({ address: wallets.join(), ...query });
  assert.ok(holdings!.assets.length > 1);
  for (const { unclaimed, unclaimed_value } of holdings!.assets)
    assert.deepEqual([unclaimed, unclaimed_value], [null, null]);
  const { count = 0 } = open.find(({ kind }) => kind === 'unclaimed_at_year_end_unknown')!;
  assert.ok(count > 0);
  const unpriced = income.kinds.reduce((sum, { value_missing: missing }) => sum + missing, 0);
  assert.equal(income.value_missing, unpriced + count);
});

test('coins of a pool have no term, so gains are not split by one', async () => {
  const pool = { address: heavy, method: 'moving_average' };
  const { disposals: american } = await yearOf({ ...pool, country: 'US' });
  assert.deepEqual([american.short_gain, american.long_gain], [null, null]);
  assert.equal(american.taxable_gain, american.gain);
  const { disposals: german, form } = await yearOf({ ...pool, country: 'DE' });
  assert.deepEqual([german.taxable_gain, german.exempt_gain], [null, null]);
  assert.equal(form.find(({ line }) => line === '§ 23')!.value, null);
});

test('a stated cost of one wallet leaves no income in a year of a person without income', async () => {
  const { events } = await get<{ events: { id: string; category: string }[] }>('events', { address: heavy });
  const { id } = events.find(({ category }) => category === 'staking_reward')!;
  const asset_decisions = JSON.stringify({ '*': { mode: 'exclude' }, [id]: { mode: 'override', value_usd: '100' } });
  const query = { country: 'ES', complete: 'true', income: 'none', asset_decisions };
  const { income } = await yearOf({ address: wallets.slice(0, 2).join(), ...query });
  assert.deepEqual(income, { kinds: [], total: '0.00', value_missing: 0 });
});

test('receipts of the 30 days after a year need a decision where they may change it', async () => {
  // Its only flagged receipt is of 13 April.
  const { address } = named.find(({ name }) => name === 'reg62')!;
  const query = { address, ...BRITISH, year: '2025', asset_decisions: '{}' };
  assert.equal((await ask('tax-year', query)).status, 409);
  assert.equal((await ask('tax-year', { ...query, method: 'moving_average' })).status, 200);
});

test('open says until when purchases may still change the year', async () => {
  const openIn = async (query: Record<string, string>) =>
    (await yearOf({ address: heavy, ...query })).open
      .map(({ kind }) => kind!)
      .filter((kind) => kind.startsWith('acquisitions'));
  assert.deepEqual(await openIn({ ...BRITISH, year: '2025' }), ['acquisitions_until_2026-05-05']);
  assert.deepEqual(await openIn({ country: 'CA', year: '2026' }), ['acquisitions_until_2027-01-30']);
  assert.deepEqual(await openIn({ country: 'DE', year: '2026' }), []);
});

test('coins of before 2027 need a pool in Korea', async () => {
  const refused = await ask('tax-year', { address: heavy, country: 'KR', year: '2027', method: 'fifo' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /must be a pool: the rules of KR for coins from before 2027-01-01 need one/);
});

test('faulty terms are refused', async () => {
  const refusal = async (query: Record<string, string>) => {
    const { status, text } = await ask('tax-year', { address: heavy, ...query });
    assert.equal(status, 400, text.slice(0, 300));
    return (JSON.parse(text).errors as { path: string }[]).map(({ path }) => path);
  };
  assert.deepEqual(await refusal({ country: 'ZZ', year: '2026' }), ['country']);
  assert.deepEqual(await refusal({ country: 'DE' }), ['year']);
  assert.deepEqual(await refusal({ country: 'DE', year: '2024' }), ['year']);
  assert.deepEqual(await refusal({ country: 'DE', year: '2031' }), ['year']);
  assert.deepEqual(await refusal({ country: 'KR', year: '2026' }), ['year']);
  assert.deepEqual(await refusal({ year: '2026', currency: 'EUR' }), ['timezone', 'method', 'income']);
  assert.deepEqual(await refusal({ country: 'DE', year: '2026', currency: 'ZZZ' }), ['currency']);
  assert.deepEqual(await refusal({ country: 'DE', year: '2026', format: 'csv' }), ['section']);
  const { status } = await server.ask('/api/tax/v1/tax-year', posting({ address: heavy, country: 'ZZ', year: '2026' }));
  assert.equal(status, 422);
});

for (const pdftotext of programs('pdftotext')) {
  test('the pages for print have the figures of the JSON, in every country', async () => {
    for (const { country, currency, name, from } of countries) {
      if (from !== undefined) continue;
      const year = country === 'AU' ? '2025' : '2026';
      const query = { address: wallets.join(','), country, year };
      const path = `/api/tax/v1/tax-year?${new URLSearchParams({ asset_decisions: DECIDED, ...query, format: 'pdf' })}`;
      const answer = await fetch(`${server.base}${path}`);
      assert.equal(answer.headers.get('content-type'), 'application/pdf');
      assert.match(answer.headers.get('content-disposition')!, /tax-year-\w+-and-\d+-more-[\d-]+\.pdf/);
      const pdf = Buffer.from(await answer.arrayBuffer());
      const text = execFileSync(pdftotext, ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' });
      const lines = text.split('\n').map((line) => line.trim().split(/\s+/).join(' '));
      const { income, disposals, form, holdings, year: span } = await yearOf(query);
      assert.ok(lines[0]!.startsWith(`Tax year ${span.name}, ${name} `), country);
      const begins = (start: string, value: string | null) => {
        const found = lines.filter((line) => line.startsWith(start));
        const end = value === null ? /(not known|withheld|not computed)$/ : / ([\d,.-]+( \*)?|not known)$/;
        const isShown = (line: string) => end.test(line) && (value === null || line.includes(` ${grouped(value)}`));
        assert.ok(found.some(isShown) || Number(value) === 0, `${country} ${start} ${value}: ${found.join(' | ')}`);
      };
      for (const { form: sheet, line, label, value } of form) begins(`${sheet}, ${line} ${label}`, value!);
      for (const { kind, symbol, count, quantity } of income.kinds) {
        const words = kind.slice(0, 1).toUpperCase() + kind.slice(1).replaceAll('_', ' ');
        const start = `${words} ${printedName(symbol)} ${grouped(String(count))} ${grouped(quantity)} `;
        assert.ok(
          lines.some((line) => line.startsWith(start)),
          start,
        );
      }
      begins('Proceeds', disposals.proceeds);
      begins('Cost', disposals.cost);
      begins('Gain or loss', disposals.gain);
      for (const { symbol, liquid, staked } of holdings!.assets)
        assert.ok(
          lines.some((line) => line.startsWith(`${printedName(symbol)} ${grouped(liquid)} ${grouped(staked!)} `)),
          symbol,
        );
      assert.equal(text.includes('$'), false, currency);
      assert.match(text, /Draft: no professional has confirmed these rules\./);
      assert.ok(text.split('\f').length - 1 <= 3);
    }
  });
}
