import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type OpeningLot, openingLotIssues, parseOpeningLots } from '../../../pipeline/books/ledger/opening-lots.js';
import { openLots } from '../../../pipeline/books/reports/positions.js';
import { bankRates } from '../bank-rates.js';
import { DENOMS, stories } from './random-wallets.js';
import { INDEX_START, replay, rules } from './wallets.js';

const LOT = { denom: 'uatom', quantity: '20', acquired_date: '2024-03-01', cost_basis_usd: '200.00' };
const lotsOf = (...lots: object[]): readonly OpeningLot[] => {
  const read = parseOpeningLots(lots, rules, bankRates);
  assert.ok('value' in read);
  return read.value;
};
const faults = (value: unknown) => {
  const read = parseOpeningLots(value, rules, bankRates);
  assert.ok('errors' in read);
  return read.errors.map(({ path }) => path);
};

test('parses opening lots exactly, by denom or symbol', () => {
  assert.deepEqual(lotsOf({ ...LOT, quantity: '0.000001', cost_basis_usd: '1.005', denom: 'ATOM', address: 'A' }), [
    { address: 'A', denom: 'uatom', quantity: 1n, acquired: '2024-03-01', basis: 101n },
  ]);
});

test('the cost of an opening lot may be in another currency, at the rate of its day', () => {
  const { cost_basis_usd: _, ...uncosted } = LOT;
  const basisOf = (lot: object) => lotsOf({ ...uncosted, ...lot })[0]!.basis;
  const eur = { currency: 'EUR', cost_basis: '100' };
  assert.equal(basisOf({ ...eur, acquired_date: '2025-12-23' }), 11_786n);
  for (const day of ['2025-12-20', '2025-12-21']) assert.equal(basisOf({ ...eur, acquired_date: day }), 11_712n, day);
  assert.equal(basisOf({ currency: 'USD', cost_basis: '1.005' }), 101n);
  const messages = (lot: object) => {
    const read = parseOpeningLots([{ ...uncosted, ...lot }], rules, bankRates);
    return 'errors' in read ? read.errors.map(({ path, message }) => `${path} ${message}`) : [];
  };
  assert.deepEqual(messages(eur), [
    '/0/cost_basis has no exchange rate: the table exchange_rates has none of EUR for 2024-03-01 or the 7 days before: ' +
      'state cost_basis_usd instead',
  ]);
  assert.deepEqual(messages({ ...eur, currency: 'QQQ' }), [
    '/0/currency is not USD, EUR or a currency of the table exchange_rates: "QQQ"',
  ]);
  assert.deepEqual(messages({ ...eur, cost_basis_usd: '1' }), [
    '/0/cost_basis_usd cannot be combined with currency: state cost_basis',
  ]);
  assert.deepEqual(messages({ cost_basis: '1' }), ['/0/cost_basis needs currency']);
  assert.deepEqual(messages({ currency: 'EUR' }), ['/0/cost_basis is required']);
  assert.deepEqual(messages({ currency: 'EUR', cost_basis: '-1' }), [
    '/0/cost_basis must be a plain decimal, not negative',
  ]);
});

test('the entry id of an opening lot is unique across wallets, also in its last 36 characters', () => {
  const idsOf = (address: string) => {
    const lots = lotsOf({ ...LOT, address }, { ...LOT, address });
    const opening = new Map([['uatom', 40_000_000n]]);
    const { entries } = replay([], undefined, undefined, opening, lots, undefined, address);
    return entries.map(({ entry_id }) => entry_id.slice(-36));
  };
  const wallets = ['cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu', 'cosmos1qyqszqgpqyqszqgpqyqszqgpqyqszqgpjnp7du'];
  assert.equal(new Set(wallets.flatMap(idsOf)).size, 4);
});

test('an address in capitals is the same wallet (R1)', () => {
  const [lot] = lotsOf({ ...LOT, address: 'COSMOS1QYPQXPQ9QCRSSZG2PVXQ6RS0ZQG3YYC5LZV7XU' });
  assert.equal(lot!.address, 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu');
});

test('reports each bad opening lot with a pointer', () => {
  assert.deepEqual(faults({}), ['']);
  assert.deepEqual(faults('20'), ['']);
  assert.deepEqual(
    faults([
      LOT,
      7,
      {},
      { ...LOT, price: '1' },
      { ...LOT, quantity: '0', acquired_date: '2024-02-30', cost_basis_usd: '-1' },
      { ...LOT, quantity: '0.0000001', cost_basis_usd: '1e3' },
      { ...LOT, quantity: 20, denom: ' ' },
    ]),
    [
      '/1',
      '/2/denom',
      '/2/quantity',
      '/2/acquired_date',
      '/2/cost_basis_usd',
      '/3/price',
      '/4/quantity',
      '/4/acquired_date',
      '/4/cost_basis_usd',
      '/5/quantity',
      '/5/cost_basis_usd',
      '/6/quantity',
      '/6/denom',
    ],
  );
});

test('checks wallet, day and quantity of an opening lot against the wallets', () => {
  const held = new Map([['uatom', 30_000_000n]]);
  const issues = (addresses: string[], ...lots: object[]) =>
    openingLotIssues(lotsOf(...lots), {
      addresses,
      indexStart: INDEX_START,
      rules,
      openingOf: (address) => (address === 'unknown' ? undefined : held),
    }).map(({ path, message }) => `${path} ${message}`);
  assert.deepEqual(issues(['A'], LOT, { ...LOT, quantity: '10' }), []);
  assert.deepEqual(issues(['A'], LOT, { ...LOT, quantity: '10.000001' }), [
    '/1/quantity 30.000001 ATOM exceeds the 30 ATOM held before the index',
  ]);
  assert.deepEqual(issues(['A'], { ...LOT, denom: 'OSMO' }), [
    '/0/quantity 20 OSMO exceeds the 0 OSMO held before the index',
  ]);
  assert.deepEqual(issues(['A', 'B'], LOT, { ...LOT, address: 'C' }, { ...LOT, address: 'B' }), [
    '/0/address is required with several wallets',
    '/1/address is not a wallet of the request',
  ]);
  assert.deepEqual(issues(['A'], { ...LOT, acquired_date: INDEX_START }), [
    '/0/acquired_date must be before the index, which begins on 2025-12-31',
  ]);
  assert.deepEqual(issues(['unknown'], LOT), ['/0/quantity holdings before the index are unknown in this dataset']);
});

test('opening lots never change a quantity, and their cost is booked once', () => {
  const part = fc.record({
    percent: fc.bigInt(1n, 100n),
    cost: fc.bigInt(0n, 100_000n),
    day: fc.constantFrom(1, 2, 3),
  });
  const held = fc.bigInt(100n, 20_000_000n);
  fc.assert(
    fc.property(stories(true), held, part, ({ events, decisions }, quantity, { percent, cost, day }) => {
      const opening = new Map(DENOMS.map((denom) => [denom as string, quantity]));
      const stated = DENOMS.map((denom) => ({
        address: undefined,
        denom,
        quantity: (quantity * percent) / 100n,
        acquired: `2024-01-0${day}`,
        basis: cost,
      }));
      const plain = replay(events, decisions, undefined, opening);
      const told = replay(events, decisions, undefined, opening, stated);
      for (const denom of DENOMS) {
        const [one, other] = [plain, told].map(({ wallet }) => openLots(wallet.holding(denom)));
        assert.equal(one!.quantity + one!.opening, other!.quantity + other!.opening);
      }
      const booked = told.entries.filter(({ act }) => act === 'open').map(({ amount }) => amount);
      assert.deepEqual(
        booked,
        DENOMS.map(() => cost),
      );
    }),
    { numRuns: 200, seed: 20260105 },
  );
});
