/** Coins that packets bring Skip Go's contracts, or bring back to them: no recording has them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { block, chain, message, transaction } from '../events.js';
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
  told,
  transfer,
  walletRows,
} from './skip-go.js';

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
