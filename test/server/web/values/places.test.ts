/** Which receipts are asked about as coins that came home, by place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bech32 } from '@scure/base';
import type { TransferredLot } from '../../../../schemas/types.generated.js';
import { type PlaceRow, placesOf, type ReturnAnswer } from '../../../../server/web/values/places.js';

const WORDS = bech32.toWords(Uint8Array.from({ length: 20 }, (_, i) => i));
const onChain = (prefix: string) => bech32.encode(prefix, WORDS);
const [WALLET, OSMO, STRIDE, INJ] = ['cosmos', 'osmo', 'stride', 'inj'].map(onChain) as [
  string,
  string,
  string,
  string,
];
const OTHER = bech32.encode('cosmos', WORDS.toReversed());
const [EXCHANGE, PAYER, STRANGER] = [7, 8, 9].map((byte) =>
  bech32.encode('cosmos', bech32.toWords(new Uint8Array(20).fill(byte))),
) as [string, string, string];

let height = 0;
const row = (day: string, counterparty: string, amount: string, more: Partial<PlaceRow> = {}): PlaceRow => {
  height++;
  return {
    ...{ address: WALLET, id: `row ${height}`, height, date: `${day} 12:00:00`, category: 'ibc_in', counterparty },
    ...{ detail: `Over channel-1, packet ${height}`, receivedAmount: amount, receivedCurrency: 'ATOM' },
    ...{ receivedDenom: 'uatom', ...more },
  };
};
const send = (day: string, receiver: string, quantity: string, more: Partial<TransferredLot> = {}) => {
  const sent = row(day, receiver, '', { category: 'ibc_out', detail: 'Over channel-1', receivedDenom: '' });
  const lot: TransferredLot = {
    ...{ address: WALLET, row: sent.id, date: day, tx_hash: 'AB', receiver, symbol: 'ATOM', denom: 'uatom', quantity },
    ...{ acquired: null, cost_basis_usd: null, returned: '0', ...more },
  };
  return { sent, lot };
};

interface Given {
  readonly sends: readonly ReturnType<typeof send>[];
  readonly receipts: readonly PlaceRow[];
  readonly names?: Record<string, Record<string, string>>;
  readonly isCarried?: boolean;
  readonly answers?: Record<string, ReturnAnswer>;
  readonly settled?: readonly string[];
  readonly own?: readonly string[];
}
const shown = ({ sends, receipts, names = {}, isCarried = false, answers = {}, settled = [], own = [] }: Given) =>
  placesOf({
    ...{ lots: sends.map(({ lot }) => lot), rows: [...sends.map(({ sent }) => sent), ...receipts], names, isCarried },
    answerTo: ({ id }) => answers[id],
    isSettled: ({ id }) => settled.includes(id),
    isOwn: ({ id }) => own.includes(id),
  }).map(({ name, receipts: its, coins }) => [
    name,
    its.map(({ row: { receivedAmount }, answer, isProbable }) =>
      [receivedAmount, answer ?? 'open', ...(isProbable ? ['probable'] : [])].join(' '),
    ),
    coins.map(({ symbol, sent, came, away }) => `${symbol} ${sent} ${came} ${away}`),
  ]);

test('receipts from the own key are asked about, and the probable ones stand first', () => {
  const sends = [send('2026-03-01', OSMO, '40')];
  const receipts = [row('2026-03-05', OSMO, '50'), row('2026-03-10', OSMO, '30')];
  assert.deepEqual(shown({ sends, receipts }), [
    ['Your address on Osmosis', ['30 open probable', '50 open'], ['ATOM 40 80 40']],
  ]);
  const answers = { [receipts[0]!.id]: 'no', [receipts[1]!.id]: 'yes' } as const;
  assert.deepEqual(shown({ sends, receipts, answers }), [
    ['Your address on Osmosis', ['30 yes probable', '50 no'], ['ATOM 40 30 10']],
  ]);
});

test('the own key counts on chains with the same kind of key, also if the coins took another way home', () => {
  const sends = [send('2026-03-01', OSMO, '40')];
  const receipts = [STRIDE, INJ, bech32.encode('osmo', WORDS.toReversed())].map((from) => row('2026-03-05', from, '1'));
  assert.deepEqual(shown({ sends, receipts }), [
    ['Your address on Stride', ['1 open probable'], ['ATOM 0 1 0']],
    ['Your address on Osmosis', [], ['ATOM 40 0 40']],
  ]);
});

test('nothing is asked about other coins, before the first send, of other wallets, or with another answer', () => {
  const sends = [send('2026-03-01', OSMO, '40')];
  const receipts = [
    row('2026-03-05', OSMO, '1', { receivedDenom: 'uosmo', receivedCurrency: 'OSMO' }),
    row('2026-02-27', OSMO, '1'),
    row('2026-03-05', STRANGER, '1'),
    row('2026-03-05', OSMO, '1', { category: 'ibc_refund' }),
    row('2026-03-05', OSMO, '1', { address: OTHER }),
    row('2026-03-05', OSMO, '1'),
  ];
  const settled = [receipts.at(-1)!.id];
  assert.deepEqual(shown({ sends, receipts, settled }), [['Your address on Osmosis', [], ['ATOM 40 0 40']]]);
  assert.deepEqual(shown({ sends, receipts, settled, isCarried: true })[0]![1], ['1 open'], 'of one account');
});

test('addresses with one name are one place, and receipts that the owner claims have a place', () => {
  const sends = [send('2026-03-01', EXCHANGE, '60')];
  const receipts = [row('2026-03-05', EXCHANGE, '5'), row('2026-03-06', PAYER, '20', { category: 'transfer_in' })];
  const claimed = { [receipts[1]!.id]: 'yes' } as const;
  assert.deepEqual(shown({ sends, receipts }), [[EXCHANGE, ['5 open'], ['ATOM 60 5 60']]]);
  assert.deepEqual(shown({ sends, receipts, answers: claimed }), [
    [EXCHANGE, ['5 open'], ['ATOM 60 5 60']],
    [PAYER, ['20 yes'], ['ATOM 0 20 -20']],
  ]);
  const names = { [WALLET]: { [EXCHANGE]: 'Kraken', [PAYER]: 'Kraken' } };
  assert.deepEqual(shown({ sends, receipts, names }), [['Kraken', ['5 open', '20 open'], ['ATOM 60 25 60']]]);
  assert.deepEqual(shown({ sends, receipts, own: [receipts[1]!.id] })[1], [PAYER, ['20 open'], ['ATOM 0 20 0']]);
});
