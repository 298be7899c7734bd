/** Tables of opening lots as people paste them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, pastedLots } from '../../../../server/web/values/pasted-table.js';

const LOTS = [
  { quantity: '12.5', day: '2024-05-03', cost: '100.00' },
  { quantity: '1,000', day: '2023-01-31', cost: '9' },
];

test('CSV, semicolons and what a spreadsheet copies are the same table', () => {
  for (const text of [
    'Amount,Date,Cost\n12.5,2024-05-03,100.00\n"1,000",2023-01-31,9\n',
    '12.5;2024-05-03;100.00\r\n1,000;2023-01-31;9',
    'quantity\tacquired\tcost\n12.5\t2024/5/3\t100.00\n\n1,000\t2023-01-31\t9',
  ]) {
    assert.deepEqual(pastedLots(text), LOTS, text);
  }
});

test('a comma stands before the decimals where one amount shows it, as in tables of many countries', () => {
  const read = pastedLots('1.250,5;2024-05-03;30,5\n1,250;2023-01-31;9');
  assert.deepEqual(
    read.map(({ quantity, cost }) => [quantity, cost]),
    [
      ['1250.5', '30.5'],
      ['1.250', '9'],
    ],
  );
  const small = pastedLots('0,500;2024-05-03;30\n1,250;2023-01-31;9');
  assert.deepEqual(
    small.map(({ quantity }) => quantity),
    ['0.500', '1.250'],
  );
});

test('each cell says what is wrong with it', () => {
  const none = { quantity: undefined, day: undefined, cost: undefined };
  for (const lot of LOTS) assert.deepEqual(faultsOf(lot, '2025-12-31'), none);
  const wrong = faultsOf({ quantity: '0', day: '03.05.2024', cost: 'much' }, '2025-12-31');
  assert.ok(wrong.quantity && wrong.day && wrong.cost);
  assert.match(faultsOf({ ...LOTS[0]!, day: '2025-12-31' }, '2025-12-31').day!, /Before 2025-12-31/);
});
