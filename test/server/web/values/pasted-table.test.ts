/** Tables of opening lots as people paste them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyOf } from '../../../../pipeline/books/currencies/index.js';
import { type DayOrder, faultsOf, isoDay, pastedLots as lotsOf } from '../../../../server/web/values/pasted-table.js';

const pastedLots = (text: string, order?: DayOrder) => lotsOf(text, 'ATOM', order);

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
    assert.deepEqual(pastedLots(text), { lines: LOTS, ambiguous: '' }, text);
  }
});

test('costs are in the currency of the page; another one is named, and is no amount', () => {
  const euro = currencyOf('EUR');
  const costs = (text: string, money = euro) => lotsOf(text, 'ATOM', undefined, money).lines.map(({ cost }) => cost);
  for (const cost of ['€100.00', '100.00 €', '100.00 EUR', '100.00'])
    assert.deepEqual(costs(`12.5;2024-05-03;${cost}`), ['100.00'], cost);
  assert.deepEqual(costs('amount;date;cost in EUR\n12.5;2024-05-03;100.00'), ['100.00']);
  assert.deepEqual(costs('amount;date;cost in GBP\n12.5;2024-05-03;100.00'), ['100.00 GBP']);
  const [line] = lotsOf('12.5;2024-05-03;$100.00', 'ATOM', undefined, euro).lines;
  assert.equal(faultsOf(line!, '2025-12-31', euro).cost, 'An amount in euros');
});

test('a comma stands before the decimals where one amount shows it, as in tables of many countries', () => {
  const read = pastedLots('1.250,5;2024-05-03;30,5\n1,250;2023-01-31;9').lines;
  assert.deepEqual(
    read.map(({ quantity, cost }) => [quantity, cost]),
    [
      ['1250.5', '30.5'],
      ['1.250', '9'],
    ],
  );
  const small = pastedLots('0,500;2024-05-03;30\n1,250;2023-01-31;9').lines;
  assert.deepEqual(
    small.map(({ quantity }) => quantity),
    ['0.500', '1.250'],
  );
});

test('dates are read as Americans and spreadsheets write them', () => {
  const [line] = pastedLots('1,000\t3/15/2021\t$18,500.00').lines;
  assert.deepEqual(line, { quantity: '1,000', day: '2021-03-15', cost: '18,500.00' });
  assert.deepEqual(faultsOf(line!, '2025-12-31'), { quantity: undefined, day: undefined, cost: undefined });
  for (const day of [
    'Mar 15, 2021',
    '15 March 2021',
    '15-Mar-2021',
    '15.3.2021',
    '2021/3/15',
    '3/15/21',
    '15/3/2021',
  ]) {
    assert.equal(isoDay(day), '2021-03-15', day);
  }
});

test('one date decides about its column, and a column that none decides is asked about', () => {
  const days = (text: string, order?: 'month-first' | 'day-first') =>
    pastedLots(text, order).lines.map(({ day }) => day);
  assert.deepEqual(days('1\t3/4/2021\t1\n1\t3/15/2021\t1'), ['2021-03-04', '2021-03-15']);
  assert.deepEqual(days('1\t3/4/2021\t1\n1\t15/3/2021\t1'), ['2021-04-03', '2021-03-15']);
  const table = '1\t5/5/2021\t1\n1\t3/4/2021\t1';
  assert.equal(pastedLots(table).ambiguous, '3/4/2021');
  assert.deepEqual(days(table, 'day-first'), ['2021-05-05', '2021-04-03']);
  assert.equal(pastedLots(table, 'month-first').ambiguous, '');
});

test('columns are found by their headings', () => {
  const read = pastedLots('Date acquired\tAsset\tTotal cost (USD)\tQuantity\n3/15/2021\tATOM\t$20.00\t12 ATOM').lines;
  assert.deepEqual(read, [{ quantity: '12', day: '2021-03-15', cost: '20.00' }]);
});

const first = (text: string) => Object.values(pastedLots(text).lines[0] ?? {}).join(' | ');

test('the columns of exports and of other languages are found by their headings', () => {
  const row = '2021-03-15,Buy,ATOM,12,9.50,114.00,115.20,1.20';
  const coinbase =
    'Timestamp,Transaction Type,Asset,Quantity Transacted,USD Spot Price at Transaction,USD Subtotal,' +
    'USD Total (inclusive of fees),USD Fees';
  assert.equal(first(`${coinbase}\n${row.replace('ATOM', 'BTC')}\n${row}`), '12 | 2021-03-15 | 115.20');
  for (const table of [
    'Amount (USD),Quantity,Date sold,Date acquired,Cost\n114.00,12,2022-01-01,2021-03-15,115.20',
    '\ufeffKosten;Datum;Menge\n115,20;15.03.2021;12',
    'Amount,When,Cost\n12,2021-03-15,115.20',
    'Prix;Jour;Nombre\n12;2021-03-15;115.20',
  ]) {
    assert.equal(first(table), '12 | 2021-03-15 | 115.20', table);
  }
});

test('amounts in another currency, of another coin or for one coin are not read as costs in US dollars', () => {
  const isRefused = (text: string, cell: 'quantity' | 'cost' = 'cost') => {
    const [line] = pastedLots(text).lines;
    assert.ok(line && faultsOf(line, '2025-12-31')[cell], `${text}: ${JSON.stringify(line)}`);
  };
  for (const cost of ['18,500.00 EUR', 'CAD 500', 'HK$ 500', 'A$500', '500 €', '£500', '1.500,25 EUR']) {
    isRefused(`12\t2021-03-15\t${cost}`);
  }
  isRefused('Amount,Date,Cost (EUR)\n12,2021-03-15,115.20');
  isRefused('Quantity,Date,Price\n12,2021-03-15,9.50');
  isRefused('Quantity,Date,Cost per coin\n12,2021-03-15,9.50');
  for (const amount of ['12 BTC', '12000000 uatom']) isRefused(`${amount}\t2021-03-15\t115.20`, 'quantity');
  for (const cost of ['$115.20', 'US$ 115.20', '115.20 USD', 'usd 115.20', '$ 115.20']) {
    assert.equal(first(`12 atom\t2021-03-15\t${cost}`), '12 | 2021-03-15 | 115.20', cost);
  }
});

test('each cell says what is wrong with it', () => {
  const none = { quantity: undefined, day: undefined, cost: undefined };
  for (const lot of LOTS) assert.deepEqual(faultsOf(lot, '2025-12-31'), none);
  const wrong = faultsOf({ quantity: '0', day: '03.05.2024', cost: 'much' }, '2025-12-31');
  assert.ok(wrong.quantity && wrong.day && wrong.cost);
  assert.match(faultsOf({ ...LOTS[0]!, day: '2025-12-31' }, '2025-12-31').day!, /Before 2025-12-31/);
});
