/** Lists of coins as the chain writes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addCoins,
  Denoms,
  formatCoins,
  formatDecCoins,
  onlyDenom,
  parseDecCoins,
  subtractAll,
} from '../../../pipeline/holdings/values/dec-coins.js';

test('decimal coins are read and written in the order of their denoms', () => {
  const denoms = new Denoms();
  const text = '1.000000000000000001ibc/14F9,0.500000000000000000uatom';
  const swapped = '0.500000000000000000uatom,1.000000000000000001ibc/14F9';
  assert.equal(formatDecCoins(parseDecCoins(swapped, denoms), denoms), text);
  assert.equal(formatDecCoins(parseDecCoins(text, denoms), denoms), text);
  assert.equal(formatDecCoins(parseDecCoins('', denoms), denoms), '');
});

test('an amount ends where its denom begins, whatever its places and wherever the denom has a point', () => {
  const denoms = new Denoms();
  const text = '7.5a,12.000000000000000003a,3ibc/a1.b2345678901234567x,0.000000000000000001factory/a.b';
  assert.equal(
    formatDecCoins(parseDecCoins(text, denoms), denoms),
    '19.500000000000000003a,0.000000000000000001factory/a.b,3.000000000000000000ibc/a1.b2345678901234567x',
  );
});

test('one denom of a list, and no other that ends like it', () => {
  const text = '1.5factory/x/uatom,2.000000000000000000uatom,3.0uatom/1';
  assert.equal(onlyDenom(text, 'uatom'), '2.000000000000000000uatom');
  assert.equal(onlyDenom(text, 'atom'), '');
  assert.equal(onlyDenom('', 'uatom'), '');
});

test('a denom with digits begins at its first letter', () => {
  const balances = new Map<string, bigint>();
  addCoins(balances, '205320546ibc/14F9,12cosmosvaloper1x/3');
  addCoins(balances, '6ibc/14F9', -1n);
  assert.deepEqual(
    [...balances],
    [
      ['ibc/14F9', 205320540n],
      ['cosmosvaloper1x/3', 12n],
    ],
  );
});

test('of thousands of denoms each has its number, and all are in order', () => {
  const denoms = new Denoms();
  const names = Array.from({ length: 3000 }, (_, i) => `ibc/${(i * 7919) % 3001}`);
  const text = names.map((name) => `1.000000000000000000${name}`).join();
  const sorted = formatDecCoins(parseDecCoins(text, denoms), denoms);
  assert.equal(
    sorted,
    [...names]
      .sort()
      .map((name) => `1.000000000000000000${name}`)
      .join(),
  );
  assert.equal(denoms.numberAt(names[2999]!, 0, names[2999]!.length), 2999);
  denoms.cut(2);
  assert.deepEqual([denoms.size, denoms.sorted().length, denoms.number(names[2999]!)], [2, 2, 2]);
});

test('zeros are left out', () => {
  const denoms = new Denoms();
  const sum = parseDecCoins('1.000000000000000000b,2.000000000000000000a', denoms);
  subtractAll(sum, parseDecCoins('1.000000000000000000b', denoms));
  assert.equal(formatDecCoins(sum, denoms), '2.000000000000000000a');
  assert.equal(formatCoins([0n, 3n], denoms), '3a');
});

test('what is no list of coins is refused', () => {
  for (const text of [
    'uatom',
    '5',
    '5uatom,,3stake',
    '-5uatom',
    '1.000000000000000000',
    '1.500000000000000000,2.5uatom',
  ]) {
    assert.throws(() => parseDecCoins(text, new Denoms()), RangeError, text);
  }
});
