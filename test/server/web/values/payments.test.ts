/** Which sends the page asks about as one payment, and what it shows of their receivers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Payment,
  paymentsOf,
  receiverCount,
  type Send,
  sumsOf,
  taggedSends,
  withRemembered,
} from '../../../../server/web/values/payments.js';

const [A, B, C] = ['cosmos1aaa', 'osmo1bbb', 'cosmos1ccc'];

const send = (id: string, txHash: string, more: Partial<Send>): Send => ({
  ...{ address: 'cosmos1me', id, txHash, counterparty: '', detail: '', sentAmount: '1', sentCurrency: 'ATOM' },
  ...more,
});

const joint = (id: string, txHash: string, sentAmount: string, list: string, count = 2) =>
  send(id, txHash, { sentAmount, detail: `To ${count} receivers, in base units: ${list}` });

test('a row that pays several receivers lists them with amounts in displayed units', () => {
  const cases: [amount: string, list: string, amounts: string[]][] = [
    ['1.5', `${A} 1000000, ${B} 500000`, ['1', '0.5']],
    ['0.000000000000000003', `${A} 1, ${B} 2`, ['0.000000000000000001', '0.000000000000000002']],
    ['1500', `${A} 1000, ${B} 500`, ['1000', '500']],
    ['12345678901234567890.12', `${A} 1234567890123456789011, ${B} 1`, ['12345678901234567890.11', '0.01']],
    ['7', `${A} 10, ${B} 5`, ['', '']],
  ];
  for (const [sentAmount, list, amounts] of cases) {
    const [payment] = paymentsOf([joint('1', 'T', sentAmount, list)]);
    assert.deepEqual(
      payment!.receivers.map(({ address, sums }) => [address, sums.get('ATOM')]),
      [
        [A, amounts[0]],
        [B, amounts[1]],
      ],
      list,
    );
    assert.equal(payment!.others, 0);
  }
});

test('receivers beyond the list are counted, and their amounts belong to the sum', () => {
  const row = joint('1', 'T', '0.000013', `${A} 1, unknown 2, 11 others 10`, 13);
  const [{ receivers, others }] = paymentsOf([row]) as [Payment<Send>];
  assert.deepEqual([receivers.map(({ sums }) => sums.get('ATOM')), others], [['0.000001'], 12]);
  const payments = paymentsOf([row, joint('2', 'U', '0.000013', `${A} 1, unknown 2, 11 others 10`, 13)]);
  assert.deepEqual(payments.map(receiverCount), [13, 13], 'the others may differ, so these are two payments');
});

test('several sends of one transaction are one payment, and other transactions to the same receivers belong to it', () => {
  const rows = [
    send('1', 'T', { counterparty: A, sentAmount: '4' }),
    send('2', 'T', { counterparty: B, sentAmount: '4' }),
    send('3', 'T', { counterparty: A, sentAmount: '7', sentCurrency: 'OSMO' }),
    joint('4', 'U', '3', `${B} 1000000, ${A} 2000000`),
    send('5', 'V', { counterparty: A }),
    send('6', 'W', { counterparty: A }),
    send('7', 'X', { counterparty: C }),
    send('8', 'Y', {}),
    send('9', 'Z', {}),
  ];
  const payments = paymentsOf(rows);
  assert.deepEqual(
    payments.map((one) => [one.rows.map(({ id }) => id).join(''), one.transactions, receiverCount(one)]),
    [
      ['1234', 2, 2],
      ['56', 2, 1],
      ['89', 2, 0],
      ['7', 1, 1],
    ],
  );
  const [first] = payments as [(typeof payments)[number]];
  assert.deepEqual(
    [...sumsOf(first.rows)],
    [
      ['ATOM', '11'],
      ['OSMO', '7'],
    ],
  );
  assert.deepEqual(
    first.receivers.map(({ address, rows: own, sums }) => [address, own.map(({ id }) => id).join(''), [...sums]]),
    [
      [
        A,
        '13',
        [
          ['ATOM', '6'],
          ['OSMO', '7'],
        ],
      ],
      [B, '2', [['ATOM', '5']]],
    ],
  );
});

test('equal sends to one receiver in one transaction are both in its payment', () => {
  const rows = ['1', '2'].map((id) => send(id, 'T', { counterparty: A, sentAmount: '4' }));
  const [payment] = paymentsOf(rows);
  assert.deepEqual(
    [payment!.rows.length, receiverCount(payment!), [...sumsOf(payment!.rows)]],
    [2, 1, [['ATOM', '8']]],
  );
});

test('the same transaction in two wallets is a payment of each', () => {
  const rows = ['cosmos1me', 'cosmos1you'].map((address) => send(address, 'T', { address, counterparty: address }));
  assert.equal(paymentsOf(rows).length, 2);
});

const NOTHING = { tags: {}, receivers: {} };
const to = (id: string, ...receivers: string[]) =>
  receivers.length === 1
    ? send(id, 'T', { counterparty: receivers[0]! })
    : joint(id, 'T', '1', receivers.map((one) => `${one} 1`).join(', '), receivers.length);

test('one answer about a payment tags each of its rows, and is remembered for each of its receivers', () => {
  const rows = [to('1', A), to('2', B), to('3', A, B, C)];
  const stated = taggedSends(NOTHING, rows, 'own_transfer');
  const tags = { 1: 'own_transfer', 2: 'own_transfer', 3: 'own_transfer' };
  const receivers = { [A]: 'own_transfer', [B]: 'own_transfer', [C]: 'own_transfer' };
  assert.deepEqual(stated, { tags: { cosmos1me: tags }, receivers: { cosmos1me: receivers } });

  const inAnotherYear = withRemembered(stated, [to('8', C, A), to('9', B)]);
  assert.deepEqual(inAnotherYear, { cosmos1me: { ...tags, 8: 'own_transfer', 9: 'own_transfer' } });
  assert.deepEqual(taggedSends(stated, rows, ''), { tags: { cosmos1me: {} }, receivers: { cosmos1me: {} } });
});

test('a remembered answer counts for a payment only if all its receivers have it', () => {
  const remembered = (answers: Record<string, string>, row: Send) =>
    withRemembered({ tags: {}, receivers: { cosmos1me: answers } }, [row]).cosmos1me?.[row.id];
  assert.equal(remembered({ [A]: 'gift' }, to('1', A)), 'gift');
  assert.equal(remembered({ [A]: 'gift' }, to('1', A, B)), undefined);
  assert.equal(remembered({ [A]: 'gift', [B]: 'sale' }, to('1', A, B)), undefined);
  assert.equal(remembered({ [A]: 'gift', [B]: 'gift' }, to('1', A, B)), 'gift');
  assert.equal(remembered({ [A]: 'gift' }, joint('1', 'T', '1', `${A} 1, 8 others 9`, 9)), undefined);
  assert.equal(remembered({ [A]: 'gift' }, to('1', '')), undefined);
});
