/** Lots of coins that leave, and come back, through Skip Go's contracts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDecimal } from '../../pipeline/base/values/amount.js';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { makeEvent, replay } from '../books/ledger/wallets.js';
import { account, block, chain, message, transaction } from './events.js';
import {
  adapter,
  alice,
  client,
  entry,
  ethereum,
  link,
  osmosis,
  packet,
  pay,
  pool,
  relayer,
  run,
  throughEntry,
  told,
  transfer,
  walletRows,
} from './skip-go.js';

/** Alice's rows of a transaction in the block of that height, at ten dollars a coin. */
function pricedRows(height: number, day: string, ...events: ChainEventRecord[]): PricedEvent[] {
  const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
  const one = { ...block([], [transaction([call], events)]), height, time: `${day}T12:00:00Z` };
  const price = (denom: string | null) => (denom === 'uatom' ? parseDecimal('10', 6) : null);
  return classifyBlock(one, chain)
    .events.filter(({ address }) => address === alice)
    .map((row) => ({
      ...row,
      sent_price: price(row.sent_denom),
      received_price: price(row.received_denom),
      fee_price: null,
    }));
}

describe('lots of coins that a router sends', () => {
  const bought = makeEvent(1, '2026-01-10', 'staking_reward', {
    address: alice,
    received_amount: 9_000_000n,
    received_denom: 'uatom',
    received_price: parseDecimal('4', 6),
  });
  const sent = pricedRows(2, '2026-02-01', ...throughEntry('9000000uatom'), ...transfer('9000000', 'uatom', 1));

  test('are disposed of, and none waits in an escrow', () => {
    const { wallet, entries } = replay([bought, ...sent]);
    assert.deepEqual(
      entries.map(({ act, amount }) => [act, amount]),
      [
        ['acquire', 3600n],
        ['dispose', 3600n],
        ['gain', 5400n],
      ],
    );
    assert.equal(wallet.escrows.size, 0);
  });

  test('come back with basis and date by a packet that nobody took', () => {
    const back = pricedRows(
      3,
      '2026-02-02',
      packet('timeout_packet', 1),
      ...pay(osmosis, adapter, '9000000uatom'),
      told('timeout', { receiver: adapter }),
      told('sudo', { _contract_address: adapter }),
      ...pay(adapter, alice, '9000000uatom'),
    );
    const { wallet, entries } = replay([bought, ...sent, ...back]);
    const { slices, short } = wallet.holding('uatom').lots.take(9_000_001n);
    assert.deepEqual(
      slices.map(({ lot }) => [lot.acquired, lot.quantity, lot.basis]),
      [['2026-01-10', 9_000_000n, 3600n]],
    );
    assert.equal(short, 1n);
    assert.deepEqual(
      entries.slice(3).map(({ act, amount }) => [act, amount]),
      [
        ['restore', 3600n],
        ['gain', 5400n],
      ],
    );
  });

  test('come back without a part that the router kept, which waits for it to be paid', () => {
    const refused = (paid: string) =>
      pricedRows(
        3,
        '2026-02-02',
        packet('timeout_packet', 1),
        ...pay(osmosis, adapter, '9000000uatom'),
        told('timeout', { receiver: adapter }),
        told('sudo', { _contract_address: adapter }),
        ...pay(adapter, alice, paid),
      );
    const call = told('execute', { _contract_address: adapter });
    const later = pricedRows(4, '2026-02-03', call, ...pay(adapter, alice, '1000000uatom'));
    const { wallet } = replay([bought, ...sent, ...refused('8000000uatom'), ...later]);
    const { slices, short } = wallet.holding('uatom').lots.take(9_000_000n);
    assert.deepEqual(
      [slices.every(({ lot }) => lot.basis === 3600n && lot.acquired === '2026-01-10'), short],
      [true, 0n],
    );
  });
});

/** Transfers of coins that a wallet pays Skip Go's contracts: no recording has them. */

describe('a transfer through a router', () => {
  test('is an ibc_out of the wallet that paid', () => {
    assert.deepEqual(walletRows(alice, ...throughEntry('9uatom'), ...transfer('9', 'uatom', 1)), [
      ['ibc_out', '9uatom', '', 'osmo1x', link(1)],
    ]);
  });

  test('to its own key is told as such', () => {
    const events = [...throughEntry('9uatom'), ...transfer('9', 'uatom', 1, account('alice', 'osmo'))];
    const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
    const rows = classifyBlock(block([], [transaction([call], events)]), chain).events;
    assert.deepEqual(
      rows.filter(({ to_own_key }) => to_own_key).map(({ address, category }) => [address, category]),
      [[alice, 'ibc_out']],
    );
  });

  test('over IBC v2, with a fee to who relays it', () => {
    const events = [
      ...throughEntry('100uatom'),
      ...pay(adapter, relayer, '5uatom'),
      told('send_packet', { packet_source_client: client, packet_sequence: '7' }),
      ...pay(adapter, ethereum, '95uatom'),
      told('ibc_transfer', { sender: adapter, receiver: '0x12', amount: '95', denom: 'uatom' }),
    ];
    assert.deepEqual(walletRows(alice, ...events), [
      ["relayer's transfer_in", '', '5uatom', alice, null],
      ['transfer_out', '5uatom', '', relayer, null],
      ['ibc_out', '95uatom', '', '0x12', `ibc-transfer/${client}/7`],
    ]);
  });

  test('in two packets, with change, and something that stays', () => {
    const events = [
      ...throughEntry('100uatom', '95uatom'),
      ...transfer('50', 'uatom', 1),
      ...transfer('30', 'uatom', 2),
      ...pay(entry, alice, '5uatom'),
    ];
    assert.deepEqual(walletRows(alice, ...events), [
      ['contract_deposit', '15uatom', '', entry, null],
      ['ibc_out', '50uatom', '', 'osmo1x', link(1)],
      ['ibc_out', '30uatom', '', 'osmo1x', link(2)],
    ]);
  });

  test('after a swap is a swap and an ibc_out of what was bought', () => {
    const events = [
      ...throughEntry('100uatom', '100uatom'),
      ...pay(adapter, pool, '100uatom'),
      run(pool),
      ...pay(pool, adapter, '44ibc/B'),
      ...transfer('40', 'ibc/B', 1),
      ...pay(adapter, alice, '3ibc/B'),
    ];
    assert.deepEqual(walletRows(alice, ...events), [
      ['swap', '100uatom', '43ibc/B', entry, null],
      ['ibc_out', '40ibc/B', '', 'osmo1x', link(1)],
    ]);
  });

  test('of a part, the rest swapped for the wallet', () => {
    const events = [
      ...throughEntry('100uatom'),
      ...pay(adapter, pool, '60uatom'),
      run(pool),
      ...pay(pool, adapter, '20ibc/B'),
      ...transfer('40', 'uatom', 1),
      ...pay(adapter, alice, '20ibc/B'),
    ];
    assert.deepEqual(walletRows(alice, ...events), [
      ['ibc_out', '40uatom', '', 'osmo1x', link(1)],
      ['swap', '60uatom', '20ibc/B', entry, null],
    ]);
  });

  test('of coins swapped for several stays the contract’s', () => {
    const events = [
      ...throughEntry('100uatom'),
      ...pay(adapter, pool, '100uatom'),
      run(pool),
      ...pay(pool, adapter, '20ibc/B,20ibc/C'),
      ...transfer('20', 'ibc/B', 1),
      ...transfer('20', 'ibc/C', 2),
    ];
    const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
    const rows = classifyBlock(block([], [transaction([call], events)]), chain).events;
    assert.deepEqual(
      rows.flatMap(({ address, category, link: of }) => (of ? [[address, category, of]] : [])),
      [
        [adapter, 'ibc_out', link(1)],
        [adapter, 'ibc_out', link(2)],
      ],
    );
  });
});

/** Coins that packets bring Skip Go's contracts, or bring back to them: no recording has them. */

describe('what comes back', () => {
  const refused = (sequence: number) => [
    packet('acknowledge_packet', sequence),
    ...pay(osmosis, adapter, '9uatom'),
    told('fungible_token_packet', { sender: adapter, receiver: 'osmo1x', acknowledgement: 'error' }),
    told('fungible_token_packet', { error: 'no' }),
    told('sudo', { _contract_address: adapter }),
  ];

  test('by a refused packet is the refund of the wallet that the router pays', () => {
    assert.deepEqual(walletRows(relayer, ...refused(1), ...pay(adapter, alice, '9uatom')), [
      ['ibc_refund', '', '9uatom', osmosis, link(1)],
    ]);
  });

  test('by a packet of IBC v2 that nobody took', () => {
    const events = [
      told('timeout_packet', { packet_source_client: client, packet_sequence: '7' }),
      ...pay(ethereum, adapter, '95uatom'),
      told('timeout', { receiver: adapter }),
      told('sudo', { _contract_address: adapter }),
      ...pay(adapter, alice, '95uatom'),
    ];
    assert.deepEqual(walletRows(relayer, ...events), [
      ['ibc_refund', '', '95uatom', ethereum, `ibc-transfer/${client}/7`],
    ]);
  });

  test('in part: the packet is refunded, and the router kept the rest', () => {
    const paid = [...pay(adapter, alice, '5uatom'), ...pay(adapter, alice, '3uatom')];
    assert.deepEqual(walletRows(relayer, ...refused(1), ...paid), [
      ['ibc_refund', '', '9uatom', osmosis, link(1)],
      ['contract_deposit', '1uatom', '', adapter, null],
    ]);
  });

  test('in parts, to two wallets', () => {
    const paid = [...pay(adapter, alice, '5uatom'), ...pay(adapter, relayer, '3uatom')];
    assert.deepEqual(walletRows(relayer, ...refused(1), ...paid), [
      ['ibc_refund', '', '5uatom', osmosis, link(1)],
      ["relayer's ibc_refund", '', '3uatom', osmosis, link(1)],
    ]);
  });

  test('with more, which is no refund', () => {
    assert.deepEqual(walletRows(relayer, ...refused(1), ...pay(adapter, alice, '12uatom')), [
      ['ibc_refund', '', '9uatom', osmosis, link(1)],
      ['contract_withdrawal', '', '3uatom', adapter, null],
    ]);
  });

  test('beside another payment: the exact one is the refund', () => {
    const events = [...refused(1), ...pay(adapter, relayer, '2uatom'), ...pay(adapter, alice, '9uatom')];
    assert.deepEqual(walletRows(relayer, ...events), [
      ["relayer's contract_withdrawal", '', '2uatom', adapter, null],
      ['ibc_refund', '', '9uatom', osmosis, link(1)],
    ]);
  });

  test('and stays with the router is nobody’s refund', () => {
    const call = message('/ibc.core.channel.v1.MsgAcknowledgement');
    const rows = classifyBlock(block([], [transaction([call], refused(1))]), chain).events;
    assert.deepEqual(
      rows.map((row) => [row.address, row.category, row.link]),
      [[adapter, 'ibc_refund', link(1)]],
    );
  });
});

describe('what a packet brings a router', () => {
  const received = [
    told('recv_packet', { packet_source_client: 'cosmoshub-0', packet_dest_client: client, packet_sequence: '2985' }),
    ...pay(ethereum, adapter, '9ibc/B'),
    told('fungible_token_packet', { sender: '0x40', receiver: adapter, amount: '9', success: 'true' }),
    run(adapter),
    ...pay(adapter, entry, '9ibc/B'),
    run(entry),
  ];

  test('is an ibc_in of the wallet that the router pays', () => {
    assert.deepEqual(walletRows(relayer, ...received, ...pay(entry, alice, '9ibc/B')), [
      ['ibc_in', '', '9ibc/B', '0x40', null],
    ]);
  });

  test('and is swapped before the wallet is paid: an ibc_in and a swap', () => {
    const swapped = [...pay(entry, pool, '9ibc/B'), run(pool), ...pay(pool, entry, '4uatom')];
    assert.deepEqual(walletRows(relayer, ...received, ...swapped, ...pay(entry, alice, '4uatom')), [
      ['ibc_in', '', '9ibc/B', '0x40', null],
      ['swap', '9ibc/B', '4uatom', entry, null],
    ]);
  });

  test('and is sent on to a third chain: no wallet has a row', () => {
    assert.deepEqual(walletRows(relayer, ...received, ...transfer('9', 'ibc/B', 1)), []);
  });
});
