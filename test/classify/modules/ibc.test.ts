/** Transfers that no recording holds: IBC v2, forwarding that is tried again, contracts in between. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MsgWithdrawValidatorCommission } from 'cosmjs-types/cosmos/distribution/v1beta1/tx';
import { CosmosTx } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { noDecisions } from '../../../pipeline/books/ledger/decisions.js';
import { refundsOf } from '../../../pipeline/books/ledger/refunds.js';
import { walletRows } from '../../../pipeline/books/reports/event-row.js';
import { formRows } from '../../../pipeline/books/reports/form8949/form-rows.js';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { replay, rules } from '../../books/ledger/wallets.js';
import { account, block, chain, event, message, send, transaction } from '../events.js';

const [alice, bob] = [account('alice'), account('bob')];
const inMessage = { msg_index: '0' };
const told = (type: string, pairs: Record<string, string>) => event(type, pairs, inMessage);
const pay = (from: string, to: string, amount: string) => send(from, to, amount, inMessage);

const rowsOf = (typeUrl: string, events: readonly ChainEventRecord[]) =>
  classifyBlock(block([], [transaction([message(typeUrl)], events)]), chain).events.map((row) => [
    row.category,
    row.address,
    row.counterparty,
    row.link,
    row.sent_amount ?? row.received_amount,
  ]);

const packet = (port: string, channel: string, sequence: number, end: 'src' | 'dst' = 'src') => ({
  [`packet_${end}_port`]: port,
  [`packet_${end}_channel`]: channel,
  packet_sequence: String(sequence),
});
const ibcTransfer = (sender: string, receiver: string, amount: string) =>
  told('ibc_transfer', { sender, receiver, amount, denom: 'path' });

describe('IBC v2', () => {
  const client = '08-wasm-1369';
  const escrow = chain.escrow('transfer', client);
  const ethereum = `0x${'12'.repeat(20)}`;

  test('a packet is announced before its coins move', () => {
    const events = [
      told('send_packet', { packet_source_client: client, packet_sequence: '5' }),
      ...pay(alice, escrow, '9uatom'),
      ibcTransfer(alice, ethereum, '9'),
    ];
    const expected = [['ibc_out', alice, ethereum, `ibc-transfer/${client}/5`, 9n]];
    assert.deepEqual(rowsOf('/ibc.core.channel.v2.MsgSendPacket', events), expected);
    assert.deepEqual(rowsOf('/ibc.applications.transfer.v1.MsgTransfer', events), expected);
  });

  test('coins out of the escrow of a light client', () => {
    const events = [
      told('recv_packet', { packet_source_client: 'x-0', packet_dest_client: client, packet_sequence: '2' }),
      ...pay(escrow, alice, '9uatom'),
      told('fungible_token_packet', { sender: ethereum, receiver: alice, amount: '9', success: 'true' }),
    ];
    assert.deepEqual(rowsOf('/ibc.core.channel.v2.MsgRecvPacket', events), [['ibc_in', alice, ethereum, null, 9n]]);
  });

  test('a refund carries the link of what was sent', () => {
    const events = [
      told('timeout_packet', { packet_source_client: client, packet_sequence: '5' }),
      ...pay(escrow, alice, '9uatom'),
      told('timeout', { receiver: alice }),
    ];
    assert.deepEqual(rowsOf('/ibc.core.channel.v2.MsgTimeout', events), [
      ['ibc_refund', alice, escrow, `ibc-transfer/${client}/5`, 9n],
    ]);
  });
});

describe('coins that an account is given by a packet and sends on at once', () => {
  const escrow = chain.escrow('transfer', 'channel-3');
  const refundAndRetry = [
    told('timeout_packet', packet('transfer', 'channel-3', 5)),
    ...pay(escrow, alice, '9uatom'),
    told('timeout', { receiver: alice }),
    ...pay(alice, escrow, '9uatom'),
    told('send_packet', packet('transfer', 'channel-3', 6)),
    ibcTransfer(alice, 'osmo1x', '9'),
  ];

  test('packet forwarding tries again: no row', () => {
    assert.deepEqual(rowsOf('/ibc.core.channel.v1.MsgTimeout', refundAndRetry), []);
  });

  test('a contract does it: two rows', () => {
    const sudo = told('sudo', { _contract_address: alice });
    assert.deepEqual(rowsOf('/ibc.core.channel.v1.MsgTimeout', [sudo, ...refundAndRetry]), [
      ['ibc_refund', alice, escrow, 'ibc-transfer/channel-3/5', 9n],
      ['ibc_out', alice, 'osmo1x', 'ibc-transfer/channel-3/6', 9n],
    ]);
  });

  test('another amount is no forwarding', () => {
    const events = [
      told('recv_packet', packet('transfer', 'channel-3', 1, 'dst')),
      ...pay(escrow, alice, '9uatom'),
      told('fungible_token_packet', { sender: 'osmo1x', receiver: alice, success: 'true' }),
      ...pay(alice, escrow, '8uatom'),
      told('send_packet', packet('transfer', 'channel-3', 6)),
      ibcTransfer(alice, 'osmo1y', '8'),
    ];
    assert.deepEqual(rowsOf('/ibc.core.channel.v1.MsgRecvPacket', events), [
      ['ibc_in', alice, 'osmo1x', null, 9n],
      ['ibc_out', alice, 'osmo1y', 'ibc-transfer/channel-3/6', 8n],
    ]);
  });
});

describe('forwarded transfers pay the last receiver of the memo', () => {
  const [ownOsmo, ownJuno, bobJuno] = [account('alice', 'osmo'), account('alice', 'juno'), account('bob', 'juno')];
  const contract = account('contract', 'osmo');
  const forward = (receiver: string, next?: unknown) => ({
    forward: { receiver, port: 'transfer', channel: 'channel-42', ...(next !== undefined && { next }) },
  });
  const text = JSON.stringify;
  const cases: [title: string, receiver: string, memo: string, paid: string, toOwnKey: boolean][] = [
    ['no memo', ownOsmo, '', ownOsmo, true],
    ['words', ownOsmo, 'forward: please', ownOsmo, true],
    ['to somebody else over the own key', ownOsmo, text(forward(bobJuno)), bobJuno, false],
    ['to the own key over somebody else', account('bob', 'osmo'), text(forward(ownJuno)), ownJuno, true],
    ['to the own key over no address', 'pfm', text(forward(ownJuno)), ownJuno, true],
    ['nested', 'pfm', text(forward(ownOsmo, forward(ownJuno, forward(bobJuno)))), bobJuno, false],
    ['nested as text', 'pfm', text(forward(ownOsmo, text(forward(bobJuno, text(forward(ownJuno)))))), ownJuno, true],
    ['next is no JSON', 'pfm', text(forward(ownOsmo, 'thanks')), ownOsmo, true],
    ['next is null', 'pfm', text(forward(bobJuno, null)), bobJuno, false],
    ['the text is cut', ownOsmo, text(forward(bobJuno)).slice(0, -1), ownOsmo, true],
    ['forward without a receiver', ownOsmo, '{"forward":{"port":"transfer"}}', ownOsmo, true],
    ['forward is a text', ownOsmo, text({ forward: bobJuno }), ownOsmo, true],
    ['receiver is a number', ownOsmo, '{"forward":{"receiver":1}}', ownOsmo, true],
    ['receiver is too long', ownOsmo, text(forward('x'.repeat(2049))), ownOsmo, true],
    ['a list', ownOsmo, text([forward(bobJuno)]), ownOsmo, true],
    ['null', ownOsmo, 'null', ownOsmo, true],
    ['a contract', contract, text({ wasm: { contract, msg: { swap: {} } } }), contract, false],
    ['a contract at the end', 'pfm', text(forward(ownOsmo, { wasm: { contract, msg: {} } })), contract, false],
    ['a callback', ownOsmo, text({ ibc_callback: contract }), contract, false],
    ['a callback at the end', 'pfm', text(forward(ownOsmo, { ibc_callback: contract })), contract, false],
    ['a callback of the sender', ownOsmo, text({ ibc_callback: alice }), ownOsmo, true],
    ['a callback beside forwarding', 'pfm', text({ ...forward(bobJuno), ibc_callback: contract }), bobJuno, false],
    ['a callback without a name', ownOsmo, text({ ibc_callback: { contract } }), ownOsmo, true],
  ];
  const sent = {
    'IBC v1': ['channel-3', told('send_packet', packet('transfer', 'channel-3', 5))],
    'IBC v2': [
      '07-tendermint-3',
      told('send_packet', { packet_source_client: '07-tendermint-3', packet_sequence: '5' }),
    ],
  } as const;
  for (const [version, [channel, announced]] of Object.entries(sent)) {
    for (const [title, receiver, memo, paid, toOwnKey] of cases) {
      test(`${version}: ${title}`, () => {
        const events = [
          ...pay(alice, chain.escrow('transfer', channel), '9uatom'),
          announced,
          told('ibc_transfer', { sender: alice, receiver, amount: '9', denom: 'uatom', memo }),
        ];
        const transfer = transaction([message('/ibc.applications.transfer.v1.MsgTransfer')], events);
        const rows = classifyBlock(block([], [transfer]), chain).events;
        assert.deepEqual(
          rows.map((row) => [row.category, row.counterparty, row.to_own_key, row.link]),
          [['ibc_out', paid, toOwnKey, `ibc-transfer/${channel}/5`]],
        );
      });
    }
  }

  test('the refund of a forwarded packet has the link of what was sent', () => {
    const events = [
      told('acknowledge_packet', packet('transfer', 'channel-3', 5)),
      ...pay(chain.escrow('transfer', 'channel-3'), alice, '9uatom'),
      told('fungible_token_packet', { sender: alice, receiver: ownOsmo, memo: text(forward(bobJuno)) }),
    ];
    assert.deepEqual(rowsOf('/ibc.core.channel.v1.MsgAcknowledgement', events), [
      ['ibc_refund', alice, chain.escrow('transfer', 'channel-3'), 'ibc-transfer/channel-3/5', 9n],
    ]);
  });

  for (const [title, memo, receiver, toOwnKey] of [
    ['to somebody else', text(forward(bobJuno)), ownOsmo, false],
    ['to the own key', text(forward(ownJuno)), account('bob', 'osmo'), true],
    ['nested to somebody else', text(forward(ownJuno, forward(bobJuno))), ownOsmo, false],
    ['with an unreadable memo, to the own key', '{"forward":', ownOsmo, true],
    ['with an unreadable memo, to somebody else', '{"forward":', account('bob', 'osmo'), false],
  ] as const) {
    test(`${title}: ${toOwnKey ? 'an own transfer' : 'a sale'}, unless the packet comes back in whatever year`, () => {
      const escrow = chain.escrow('transfer', 'channel-3');
      const sent = [
        ...pay(alice, escrow, '9uatom'),
        told('send_packet', packet('transfer', 'channel-3', 5)),
        told('ibc_transfer', { sender: alice, receiver, amount: '9', denom: 'uatom', memo }),
      ];
      const returned = [
        told('timeout_packet', packet('transfer', 'channel-3', 5)),
        ...pay(escrow, alice, '9uatom'),
        told('timeout', { receiver: alice, memo }),
      ];
      const priced = (typeUrl: string, events: readonly ChainEventRecord[], day: string) =>
        classifyBlock(block([], [transaction([message(typeUrl)], events)]), chain).events.map((row) => ({
          ...{ ...row, time: `${day} 12:00:00`, fee_price: null },
          ...{ sent_price: 10n ** 15n, received_price: 10n ** 15n },
        }));
      const out = priced('/ibc.applications.transfer.v1.MsgTransfer', sent, '2025-12-30');
      const back = priced('/ibc.core.channel.v1.MsgTimeout', returned, '2026-01-02');
      const taxable = out.map((row) => walletRows({ rules, monikerOf: () => '' })(row).taxable);
      assert.deepEqual(taxable, [!toOwnKey]);
      for (const [rows, sold] of [
        [out, toOwnKey ? [] : ['9 25']],
        [[...out, ...back], []],
      ] as const) {
        const refunds = refundsOf(rows, noDecisions, rules);
        const { entries } = replay(rows, noDecisions, undefined, new Map([['uatom', 9n]]));
        const form = entries.flatMap((entry) => formRows(entry, refunds, rules));
        assert.deepEqual(
          form.map((row) => `${row.quantity} ${row.sold.slice(2, 4)}`),
          sold,
        );
      }
    });
  }

  test('a memo as deep as one can be is read', () => {
    const deep = '{"forward":{"receiver":"x","next":'.repeat(900) + text(forward(bobJuno)) + '}}'.repeat(900);
    const events = [
      ...pay(alice, chain.escrow('transfer', 'channel-3'), '9uatom'),
      told('send_packet', packet('transfer', 'channel-3', 5)),
      told('ibc_transfer', { sender: alice, receiver: ownOsmo, amount: '9', denom: 'uatom', memo: deep }),
    ];
    const [row] = rowsOf('/ibc.applications.transfer.v1.MsgTransfer', events);
    assert.deepEqual(row, ['ibc_out', alice, bobJuno, 'ibc-transfer/channel-3/5', 9n]);
  });
});

test('two equal transfers of one contract call are two packets', () => {
  const escrow = chain.escrow('transfer', 'channel-3');
  const transfer = (sequence: number) => [
    ...pay(alice, escrow, '9uatom'),
    told('send_packet', packet('transfer', 'channel-3', sequence)),
    ibcTransfer(alice, 'osmo1x', '9'),
  ];
  const call = told('execute', { _contract_address: alice });
  assert.deepEqual(rowsOf('/cosmwasm.wasm.v1.MsgExecuteContract', [call, ...transfer(1), ...transfer(2)]), [
    ['ibc_out', alice, 'osmo1x', 'ibc-transfer/channel-3/1', 9n],
    ['ibc_out', alice, 'osmo1x', 'ibc-transfer/channel-3/2', 9n],
  ]);
});

test("the receiver's own chain's prefix does not hide the sender's key", () => {
  const events = (receiver: string) => [
    ...pay(alice, chain.escrow('transfer', 'channel-3'), '9uatom'),
    told('send_packet', packet('transfer', 'channel-3', 1)),
    ibcTransfer(alice, receiver, '9'),
  ];
  const toOwnKey = (receiver: string) => {
    const transfer = transaction([message('/ibc.applications.transfer.v1.MsgTransfer')], events(receiver));
    return classifyBlock(block([], [transfer]), chain).events.map((row) => row.to_own_key);
  };
  assert.deepEqual(toOwnKey(account('alice', 'osmo')), [true]);
  assert.deepEqual(toOwnKey(account('alice', 'osmo').toUpperCase()), [true]);
  assert.deepEqual(toOwnKey(account('bob', 'osmo')), [false]);
  assert.deepEqual(toOwnKey('not an address'), [false]);
});

test('an escrow account that the chain file does not reach is an account like any other', () => {
  const escrow = chain.escrow('transfer', 'channel-123456789');
  const events = [
    ...pay(alice, escrow, '9uatom'),
    told('send_packet', packet('transfer', 'channel-123456789', 1)),
    ibcTransfer(alice, 'osmo1x', '9'),
  ];
  assert.deepEqual(rowsOf('/ibc.applications.transfer.v1.MsgTransfer', events), [
    ['ibc_out', alice, 'osmo1x', 'ibc-transfer/channel-123456789/1', 9n],
    ['transfer_in', escrow, alice, null, 9n],
  ]);
});

test('what a callback undid is not read as money', () => {
  const events = [
    told('recv_packet', packet('transfer', 'channel-3', 1, 'dst')),
    told('ibccallbackerror-fungible_token_packet', { 'ibccallbackerror-success': 'true' }),
    told('ibccallbackerror-coin_received', { 'ibccallbackerror-receiver': bob, 'ibccallbackerror-amount': '9uatom' }),
  ];
  assert.deepEqual(rowsOf('/ibc.core.channel.v1.MsgRecvPacket', events), []);
});

/** Packets for an interchain account: no recording holds one. */

describe('interchain accounts', () => {
  const [ica, bob] = [account('interchain account'), account('bob')];
  const [one, two] = [chain.operatorOf(account('one')), chain.operatorOf(account('two'))];
  const distribution = chain.module('distribution');
  const inMessage = { msg_index: '0' };
  const told = (type: string, pairs: Record<string, string>) => event(type, pairs, inMessage);
  const pay = (from: string, to: string, amount: string) => send(from, to, amount, inMessage);
  const done = told('ics27_packet', { module: 'interchainaccounts', success: 'true' });

  const rowsOf = (...events: ChainEventRecord[]) => rowsOfPacket({}, ...events);

  function rowsOfPacket(value: object, ...events: ChainEventRecord[]) {
    const relayed = transaction([message(MsgRecvPacket.typeUrl, value)], [...events, done]);
    const { events: rows, unclassified } = classifyBlock(block([], [relayed]), chain);
    assert.equal(unclassified.size, 0);
    return rows.map((row) => [row.category, row.address, row.counterparty ?? row.validator, row.reward_trigger]);
  }

  const reward = (validator: string, amount: string) => [
    ...pay(distribution, ica, amount),
    told('withdraw_rewards', { amount, validator, delegator: ica }),
  ];

  test('staking of an interchain account is its own', () => {
    const rows = rowsOf(
      ...reward(one, '3uatom'),
      ...pay(ica, chain.module('bonded_tokens_pool'), '100uatom'),
      told('delegate', { validator: one, delegator: ica, amount: '100uatom' }),
      ...reward(two, '4uatom'),
      told('redelegate', { source_validator: two, destination_validator: one, amount: '50uatom' }),
    );
    assert.deepEqual(rows, [
      ['staking_reward', ica, one, 'interchain_account'],
      ['delegate', ica, one, null],
      ['staking_reward', ica, two, 'interchain_account'],
      ['redelegate', ica, one, null],
    ]);
  });

  test('its bank messages are transfers, its gift to the community pool a deposit there', () => {
    const share = `7${one}/4`;
    assert.deepEqual(rowsOf(...pay(ica, bob, '5uatom'), ...pay(ica, bob, share), ...pay(ica, distribution, '6uatom')), [
      ['transfer_out', ica, bob, null],
      ['transfer_in', bob, ica, null],
      ['share_transfer_out', ica, bob, null],
      ['share_transfer_in', bob, ica, null],
      ['community_pool_deposit', ica, distribution, null],
    ]);
  });

  test('what it sends a module that takes coins from anybody is a transfer, a deposit is none', () => {
    const [gov, consumers] = [chain.module('gov'), chain.module('consumer_rewards_pool')];
    const deposit = told('proposal_deposit', { depositor: ica, amount: '7uatom', proposal_id: '3' });
    assert.deepEqual(
      rowsOf(...pay(ica, gov, '7uatom'), deposit, ...pay(ica, gov, '5uatom'), ...pay(ica, consumers, '6ibc/A')),
      [
        ['gov_deposit', ica, gov, null],
        ['transfer_out', ica, gov, null],
        ['transfer_out', ica, consumers, null],
      ],
    );
  });

  test('what it sends itself moves nothing', () => {
    assert.deepEqual(rowsOf(...pay(ica, ica, '5uatom')), [['self_transfer', ica, null, null]]);
  });

  test('its commission is that of the validators that the packet names, whoever is paid', () => {
    const messages = [ica, bob].map((operator) => ({
      typeUrl: MsgWithdrawValidatorCommission.typeUrl,
      value: MsgWithdrawValidatorCommission.encode({ validatorAddress: chain.operatorOf(operator) }).finish(),
    }));
    const data = Buffer.from(CosmosTx.encode({ messages }).finish()).toString('base64');
    const json = JSON.stringify({ type: 'TYPE_EXECUTE_TX', data, memo: '' });
    const packet = { destinationPort: 'icahost', data: new TextEncoder().encode(json) };
    const [own, others] = ['8uatom', '9uatom'].map((amount) => told('withdraw_commission', { amount }));
    const paid = [...pay(distribution, ica, '8uatom'), own!, ...pay(distribution, ica, '9uatom'), others!];
    assert.deepEqual(rowsOfPacket(MsgRecvPacket.fromPartial({ packet }), ...paid), [
      ['validator_commission', ica, chain.operatorOf(ica), 'interchain_account'],
      ['validator_commission', bob, chain.operatorOf(bob), 'interchain_account'],
      ['reward_redirected', bob, ica, null],
      ['redirected_reward_in', ica, bob, null],
    ]);
  });

  test('it sends coins to a third chain', () => {
    const escrow = chain.escrow('transfer', 'channel-9');
    const rows = rowsOf(
      ...pay(ica, escrow, '5uatom'),
      told('send_packet', { packet_src_port: 'transfer', packet_src_channel: 'channel-9', packet_sequence: '1' }),
      told('ibc_transfer', { sender: ica, receiver: 'osmo1x', amount: '5', denom: 'uatom' }),
    );
    assert.deepEqual(rows, [['ibc_out', ica, 'osmo1x', null]]);
  });
});
