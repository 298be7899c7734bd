/** Transfers of coins that a wallet pays Skip Go's contracts: no recording has them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { account, block, chain, message, transaction } from '../events.js';
import {
  adapter,
  alice,
  client,
  entry,
  ethereum,
  link,
  pay,
  pool,
  relayer,
  run,
  throughEntry,
  told,
  transfer,
  walletRows,
} from './skip-go.js';

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
