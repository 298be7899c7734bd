/** Costs and values that owners state in another currency: as if they had stated the converted amount in US dollars. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Decimal } from '../../../pipeline/base/values/decimal.js';
import { parseRates } from '../../../pipeline/prices/rates-file.js';
import { BANK_FILE } from '../../books/bank-rates.js';
import { requireFaults, sharedServer, WALLETS } from '../harness.js';
import { posting, signedIn } from '../people/accounts/signed-in.js';
import { recordedContent, recordedEvents } from '../published.js';

const { flagged, light } = WALLETS;
/** A Sunday: the bank's last day before is Friday, 2026-01-16. */
const RECEIPT = recordedEvents(flagged)[0]!;
/** A row that received coins, and no flagged receipt. */
const RECEIVED = recordedEvents(light).find((row) => row.category === 'transfer_in')!;
const rates = parseRates(BANK_FILE, 'bank');

const perEur = (day: string, currency: string) =>
  new Decimal(String(rates.find((rate) => rate.day === day && rate.currency === currency)!.per_eur));
/** US dollars of an amount by the rates of a day of the bank. */
const dollars = (amount: string, currency: string, day: string) =>
  new Decimal(amount)
    .times(perEur(day, 'USD'))
    .dividedBy(currency === 'EUR' ? 1_000_000 : perEur(day, currency))
    .toFixed(2, Decimal.ROUND_HALF_UP);

const server = sharedServer(() => ({
  content: {
    ...recordedContent(),
    opening: { [light]: { uatom: '30000000' } },
    rates: rates.map((rate) => [rate.day, rate.currency, String(rate.per_eur)] as const),
  },
}));

const get = (name: string, query: Record<string, string>, headers = {}) =>
  server.ask(`/api/tax/v1/${name}?${new URLSearchParams({ format: 'json', ...query })}`, { headers });
const post = (name: string, body: object) => server.ask(`/api/tax/v1/${name}`, posting({ format: 'json', ...body }));
const save = async (name: string, body: object) =>
  server.ask(`/api/tax/v1/${name}`, posting(body, await signedIn(server)));

const lot = (cost: object, more: object = {}) => ({
  ...{ denom: 'uatom', quantity: '20', acquired_date: '2025-12-28' }, // a Sunday; the bank's last day is 2025-12-24
  ...cost,
  ...more,
});
const override = (members: object) => ({ mode: 'override', ...members });

/** Requires that two statements give the same answer, by GET and by POST. */
async function requireSame(name: string, wallet: string, member: string, one: object, other: object) {
  const camel = { asset_decisions: 'assetDecisions', opening_lots: 'openingLots' }[member]!;
  const [asked, expected] = await Promise.all(
    [one, other].map((value) => get(name, { address: wallet, [member]: JSON.stringify(value) })),
  );
  assert.equal(asked!.status, 200, asked!.text);
  assert.equal(asked!.text, expected!.text, name);
  assert.equal((await post(name, { address: wallet, [camel]: one })).text, expected!.text, `POST ${name}`);
  return asked!;
}

test('opening lots in euros or yen are lots at the converted cost', async () => {
  for (const [currency, amount] of [
    ['EUR', '123.45'],
    ['JPY', '25000'],
  ] as const) {
    const converted = dollars(amount, currency, '2025-12-24');
    for (const name of ['journal', 'positions', 'summary']) {
      const stated = [lot({ currency, cost_basis: amount })];
      const answer = await requireSame(name, light, 'opening_lots', stated, [lot({ cost_basis_usd: converted })]);
      assert.notEqual(answer.text, (await get(name, { address: light })).text, name);
    }
  }
  for (const name of ['journal', 'positions'])
    await requireSame(
      name,
      light,
      'opening_lots',
      [lot({ currency: 'USD', cost_basis: '1.005' })],
      [lot({ cost_basis_usd: '1.005' })],
    );
});

test('decisions in euros: a value by the day of its row, a cost by the day of its purchase', async () => {
  const sunday = '2026-01-16';
  assert.equal(RECEIPT.time.slice(0, 10), '2026-01-18');
  const value = dollars('10.10', 'EUR', sunday);
  const cost = dollars('7.77', 'EUR', '2026-01-02');
  const inEuros = { currency: 'EUR', value: '10.10', cost_basis: '7.77', acquired_date: '2026-01-03' };
  const inDollars = { value_usd: value, cost_basis_usd: cost, acquired_date: '2026-01-03' };
  for (const name of ['events', 'journal', 'positions'])
    await requireSame(
      name,
      flagged,
      'asset_decisions',
      { [RECEIPT.id]: override(inEuros) },
      { [RECEIPT.id]: override(inDollars) },
    );
  const day = RECEIVED.time.slice(0, 10);
  const bankDay = [...rates]
    .map((rate) => rate.day)
    .filter((other) => other <= day)
    .sort()
    .at(-1)!;
  for (const name of ['events', 'journal', 'positions', 'summary'])
    await requireSame(
      name,
      light,
      'asset_decisions',
      { [RECEIVED.id]: override({ currency: 'GBP', cost_basis: '30.01' }) },
      { [RECEIVED.id]: override({ cost_basis_usd: dollars('30.01', 'GBP', bankDay) }) },
    );
});

test('refusals name the field, the day and what to do: 400, in a body 422', async () => {
  const cases: readonly (readonly [name: string, wallet: string, member: string, value: unknown, path: string])[] = [
    ['positions', light, 'opening_lots', [lot({ currency: 'QQQ', cost_basis: '1' })], '0/currency'],
    [
      'positions',
      light,
      'opening_lots',
      [lot({ currency: 'EUR', cost_basis_usd: '1', cost_basis: '1' })],
      '0/cost_basis_usd',
    ],
    ['journal', light, 'opening_lots', [lot({ cost_basis: '1' })], '0/cost_basis'],
    [
      'journal',
      light,
      'opening_lots',
      [lot({ currency: 'EUR', cost_basis: '1' }, { acquired_date: '2024-03-01' })],
      '0/cost_basis',
    ],
    [
      'events',
      flagged,
      'asset_decisions',
      { [RECEIPT.id]: override({ currency: 'BGN', value: '1' }) },
      `${RECEIPT.id}/value`,
    ],
    [
      'events',
      light,
      'asset_decisions',
      { [RECEIVED.id]: override({ currency: 'QQQ', value: '1' }) },
      `${RECEIVED.id}/currency`,
    ],
    [
      'journal',
      light,
      'asset_decisions',
      { [RECEIVED.id]: override({ currency: 'EUR', cost_basis: '1', acquired_date: '2020-01-01' }) },
      `${RECEIVED.id}/cost_basis`,
    ],
  ];
  for (const [name, wallet, member, value, path] of cases) {
    const query = { address: wallet, [member]: JSON.stringify(value) };
    const refused = await get(name, query);
    requireFaults(refused, 400, [`${member}/${path}`], value);
    const camel = { asset_decisions: 'assetDecisions', opening_lots: 'openingLots' }[member]!;
    requireFaults(await post(name, { address: wallet, [camel]: value }), 422, [`${camel}/${path}`], value);
  }
  const old = [lot({ currency: 'EUR', cost_basis: '1' }, { acquired_date: '2024-03-01' })];
  const { errors } = (await get('journal', { address: light, opening_lots: JSON.stringify(old) })).json();
  assert.equal(
    errors[0].message,
    'has no exchange rate: the table exchange_rates has none of EUR for 2024-03-01 or the 7 days before: ' +
      'state cost_basis_usd instead',
  );
});

test('saved statements stay as their owner wrote them, and count as if they were sent', async () => {
  const opening_lots = [lot({ currency: 'EUR', cost_basis: '123.450' })];
  const saved = await save('saved-opening-lots', { address: light, opening_lots });
  assert.deepEqual([saved.status, saved.json().opening_lots], [200, opening_lots], saved.text);
  const decisions = { [RECEIPT.id]: override({ currency: 'EUR', value: '10.10' }) };
  const decided = await save('saved-decisions', { address: flagged, decisions });
  assert.deepEqual([decided.status, decided.json().decisions], [200, decisions], decided.text);
  const alice = await signedIn(server);
  const { saved_opening_lots: count, ...journal } = (await get('journal', { address: light }, alice)).json();
  const sent = await get('journal', { address: light, opening_lots: JSON.stringify(opening_lots) });
  assert.deepEqual([count, journal], [1, sent.json()]);
  const events = await get('events', { address: flagged }, alice);
  const asked = await get('events', { address: flagged, asset_decisions: JSON.stringify(decisions) });
  assert.deepEqual(events.json(), asked.json());
});

test('statements that have no rate are not saved', async () => {
  const unrated = [lot({ currency: 'EUR', cost_basis: '1' }, { acquired_date: '2024-03-01' })];
  const lots = await save('saved-opening-lots', { address: light, opening_lots: unrated });
  requireFaults(lots, 422, ['opening_lots/0/cost_basis'], unrated);
  for (const [id, wallet, day] of [
    [RECEIPT.id, flagged, '2024-03-01'],
    [RECEIVED.id, light, '2024-03-01'],
  ] as const) {
    const decisions = { [id]: override({ currency: 'EUR', cost_basis: '1', acquired_date: day }) };
    const refused = await save('saved-decisions', { address: wallet, decisions });
    requireFaults(refused, 422, [`decisions/${id}/cost_basis`], decisions);
  }
});
