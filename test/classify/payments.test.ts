import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { BankEvent, Coin } from '../../pipeline/classify/classifier.js';
import { netChanges, oversizedDenoms, readPayments } from '../../pipeline/classify/payments.js';

type Unplaced = Omit<BankEvent, 'index'>;
const placed = (events: readonly Unplaced[]): BankEvent[] => events.map((event, index) => ({ ...event, index }));
const uatom = (amount: bigint): Coin[] => [{ denom: 'uatom', amount }];
const spent = (address: string, coins: Coin[]): Unplaced => ({ type: 'coin_spent', address, coins });
const received = (address: string, coins: Coin[]): Unplaced => ({ type: 'coin_received', address, coins });

describe('readPayments', () => {
  test('a multi-send is one payer with a payment for each receiver', () => {
    const bank = placed([spent('a', uatom(5n)), received('b', uatom(3n)), received('c', uatom(2n))]);
    assert.deepEqual(readPayments(bank), [
      { index: 1, from: 'a', to: 'b', denom: 'uatom', amount: 3n },
      { index: 2, from: 'a', to: 'c', denom: 'uatom', amount: 2n },
    ]);
  });

  test('a burn has no receiver, and the mint after it no payer', () => {
    const bank = placed([
      spent('a', uatom(5n)),
      { type: 'burn', address: 'a', coins: uatom(5n) },
      received('m', uatom(5n)),
      { type: 'coinbase', address: 'm', coins: uatom(5n) },
    ]);
    assert.deepEqual(readPayments(bank), [
      { index: 0, from: 'a', to: null, denom: 'uatom', amount: 5n },
      { index: 2, from: null, to: 'm', denom: 'uatom', amount: 5n },
    ]);
  });

  test('what is received beyond what was spent comes from nobody known', () => {
    const bank = placed([spent('a', uatom(5n)), received('b', uatom(6n))]);
    assert.deepEqual(
      readPayments(bank).map(({ from, to, amount }) => [from, to, amount]),
      [
        ['a', null, 5n],
        [null, 'b', 6n],
      ],
    );
  });

  test('payments add up to the bank events, whatever their order', () => {
    const denom = fc.constantFrom('uatom', 'ibc/A', 'ibc/B');
    const coins = fc.uniqueArray(fc.record({ denom, amount: fc.bigInt(1n, 10n ** 30n) }), {
      selector: (coin) => coin.denom,
    });
    const bankEvent = fc.record({
      type: fc.constantFrom('coin_spent', 'coin_received', 'coinbase', 'burn'),
      address: fc.constantFrom('a', 'b', 'c'),
      coins,
    });
    fc.assert(
      fc.property(fc.array(bankEvent, { maxLength: 30 }), (events) => {
        const bank = placed(events as Unplaced[]);
        const nets = netChanges(bank);
        for (const { from, to, denom: of, amount } of readPayments(bank)) {
          if (from !== null) nets.get(from)!.set(of, nets.get(from)!.get(of)! + amount);
          if (to !== null) nets.get(to)!.set(of, nets.get(to)!.get(of)! - amount);
        }
        for (const denoms of nets.values()) for (const amount of denoms.values()) assert.equal(amount, 0n);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

test('a denom is oversized when its events together exceed 38 digits', () => {
  const half = 5n * 10n ** 37n;
  const bank = [
    ...placed([spent('a', [{ denom: 'huge', amount: half }]), received('b', [{ denom: 'huge', amount: half }])]),
    ...placed([spent('a', [{ denom: 'large', amount: half - 1n }]), received('b', [{ denom: 'large', amount: half }])]),
  ];
  assert.deepEqual([...oversizedDenoms(bank)], ['huge']);
});
