/** Traces of vouchers, from whatever event names them; a made-up packet of each kind. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Block, Transaction } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import type { DenomMetadata } from '../../schemas/types.generated.js';
import { account, block, chain, event, message, send, transaction } from './events.js';
import { sampleBlocks } from './sample.js';

const sendCoins = send;
const tablesOf = (one: Block) => classifyBlock(one, chain);
const indexed = (one: Transaction) => tablesOf(block([], [one])).transactions[0]!;

const channels = {
  packet_src_port: 'transfer',
  packet_src_channel: 'channel-74',
  packet_dst_port: 'transfer',
  packet_dst_channel: 'channel-207',
};
const clients = { packet_source_client: 'client-0', packet_dest_client: '08-wasm-1369' };
const coin = (denom: string) => event('fungible_token_packet', { denom, success: 'true' }, { msg_index: '0' });
const sent = (denom: string) => event('ibc_transfer', { denom }, { msg_index: '0' });
const packet = (type: string, ends: Record<string, string>) => event(type, ends, { msg_index: '0' });
const denomination = (denom: string) => event('denomination', { denom_hash: 'AB', denom }, { msg_index: '0' });

const spam = 'factory/juno1maker/uairdrop67';
const cases: [title: string, events: Parameters<typeof transaction>[1], traces: string[]][] = [
  ['received over a channel', [packet('recv_packet', channels), coin(spam)], [`transfer/channel-207/${spam}`]],
  ['received by IBC v2', [packet('recv_packet', clients), coin('0xab')], ['transfer/08-wasm-1369/0xab']],
  [
    'received over several hops',
    [packet('recv_packet', channels), coin(`transfer/channel-42/${spam}`)],
    [`transfer/channel-207/transfer/channel-42/${spam}`],
  ],
  [
    'come back, still a voucher',
    [packet('recv_packet', channels), coin(`transfer/channel-74/transfer/channel-141/${spam}`)],
    [`transfer/channel-141/${spam}`],
  ],
  ['come home', [packet('recv_packet', channels), coin('transfer/channel-74/uatom')], []],
  ['come home by IBC v2', [packet('recv_packet', clients), coin('transfer/client-0/uatom')], []],
  ['sent', [sent(`transfer/channel-207/${spam}`)], [`transfer/channel-207/${spam}`]],
  ['sent, no voucher', [sent('uatom')], []],
  [
    'refused',
    [packet('acknowledge_packet', channels), coin(`transfer/channel-1/${spam}`)],
    [`transfer/channel-1/${spam}`],
  ],
  [
    'two packets in one message, each by its own ends',
    [packet('recv_packet', channels), coin('ua'), packet('recv_packet', clients), coin('ub')],
    ['transfer/channel-207/ua', 'transfer/08-wasm-1369/ub'],
  ],
  [
    'named by the module itself',
    [
      denomination(
        '{"base":"ua","trace":[{"port_id":"transfer","channel_id":"channel-1"},{"port_id":"transfer","channel_id":"07-x-2"}]}',
      ),
    ],
    ['transfer/channel-1/transfer/07-x-2/ua'],
  ],
  ['named without hops', [denomination('{"base":"ua","trace":[]}')], []],
  ['a name that cannot be read', [denomination('{"base":"ua"}'), denomination('?')], []],
  ['an event of a contract', [event('wasm', { denom: 'transfer/channel-1/ua' }, { msg_index: '0' })], []],
];
for (const [title, events, traces] of cases) {
  test(title, () => {
    const relayed = transaction([message('/ibc.core.channel.v1.MsgRecvPacket')], events);
    assert.deepEqual(classifyBlock(block([], [relayed]), chain).voucherTraces, traces);
  });
}

test('the vouchers that arrive in the sample', () => {
  const traces = new Set([...sampleBlocks()].flatMap((one) => classifyBlock(one, chain).voucherTraces));
  assert.ok(traces.has('transfer/channel-536/uusdc'));
  assert.deepEqual(
    [...traces].filter((trace) => !trace.startsWith('transfer/channel-')),
    [],
  );
});

/** Ends of proposals, and what a block mints and burns: the notes that rows over many blocks rest on. */

describe('proposal ends', () => {
  const end = (proposal_id: string, proposal_result: string) =>
    event('active_proposal', { proposal_id, proposal_result }, { mode: 'EndBlock' });

  test('a proposal ends with the vote, without enough deposits, or cancelled; a failed transaction ends nothing', () => {
    const cancel = event('cancel_proposal', { sender: 'x', proposal_id: '3' }, { msg_index: '0' });
    const cancelling = transaction([message('/cosmos.gov.v1.MsgCancelProposal')], [event('tx', {}), cancel]);
    const dropped = event('inactive_proposal', { proposal_id: '2', proposal_result: 'proposal_dropped' });
    const events = [event('mint', {}), dropped, end('1', 'proposal_rejected')];
    assert.deepEqual(tablesOf(block(events, [{ ...cancelling, memo: 'no more' }])).proposalEnds, [
      {
        height: 7,
        time: '2026-01-02 03:04:05',
        place: 0,
        tx_hash: 'AB'.repeat(32),
        memo: 'no more',
        event: 1,
        proposal: '3',
      },
      { height: 7, time: '2026-01-02 03:04:05', place: -1, tx_hash: 'block:7', memo: '', event: 1, proposal: '2' },
      { height: 7, time: '2026-01-02 03:04:05', place: -1, tx_hash: 'block:7', memo: '', event: 2, proposal: '1' },
    ]);
    assert.deepEqual(tablesOf(block([], [{ ...cancelling, code: 5 }])).proposalEnds, []);
  });

  test('an expedited proposal that fails goes on with its deposits', () => {
    assert.deepEqual(tablesOf(block([end('1', 'expedited_proposal_rejected')])).proposalEnds, []);
  });

  test('what is minted and burned in the sample is what all balances change by', () => {
    let minted = 0n;
    for (const sample of sampleBlocks()) {
      const { movements, supplyChanges } = classifyBlock(sample, chain);
      const sums = new Map<string, bigint>();
      for (const { denom, amount } of movements) sums.set(denom, (sums.get(denom) ?? 0n) + amount);
      for (const { height, denom, minted: more, burned } of supplyChanges) {
        assert.equal(height, sample.height);
        assert.equal(sums.get(denom) ?? 0n, more - burned, `${height} ${denom}`);
        sums.delete(denom);
        if (denom === 'uatom') minted += more;
      }
      for (const [denom, sum] of sums) assert.equal(sum, 0n, `${sample.height} ${denom}`);
    }
    assert.ok(minted > 0n);
  });

  test('transactions that mint and burn more than a table holds together make one row, of its most', () => {
    const amount = `9${'0'.repeat(37)}factory/x/huge`;
    const minting = [event('coinbase', { minter: account('x'), amount }, { msg_index: '0' })];
    const burning = [event('burn', { burner: account('x'), amount }, { msg_index: '0' })];
    const transactions = [minting, minting, burning].map((events) => transaction([message('/strange')], events));
    assert.deepEqual(classifyBlock(block([], transactions), chain).supplyChanges, [
      { height: 7, denom: 'factory/x/huge', minted: 10n ** 38n - 1n, burned: 9n * 10n ** 37n },
    ]);
  });
});

describe('share rewards', () => {
  const validator = account('validator', 'cosmosvaloper');
  const record = chain.shareRecordAccount('1');

  test('what a share record withdraws is noted by denom, what a wallet withdraws is a row', () => {
    const [alice, bob] = [account('alice'), account('bob')];
    const reward = (delegator: string, amount: string) => [
      ...send(chain.module('distribution'), delegator, amount, { msg_index: '0' }),
      event('withdraw_rewards', { amount, validator, delegator }, { msg_index: '0' }),
    ];
    const sum = { withdraw_address: bob, amount: '5uatom,7uosmo' };
    const passedOn = event('withdraw_tokenize_share_reward', sum, { msg_index: '0' });
    const events = [
      ...reward(record, `1${'0'.repeat(38)}factory/x/huge,5uatom,7uosmo`),
      ...send(record, bob, '5uatom,7uosmo', { msg_index: '0' }),
      passedOn,
      ...reward(alice, '3uatom'),
    ];
    const found = classifyBlock(
      block([], [transaction([message('/cosmos.authz.v1beta1.MsgExec')], [event('tx', {}), ...events])]),
      chain,
    );
    const where = { height: 7, place: 0, event: 3, time: '2026-01-02 03:04:05', validator, delegator: record };
    assert.deepEqual(found.shareRewards, [
      { ...where, denom: 'uatom', amount: 5n },
      { ...where, denom: 'uosmo', amount: 7n },
    ]);
    assert.deepEqual(
      found.events.map((row) => [row.address, row.received_amount]),
      [
        [bob, 5n],
        [bob, 7n],
        [alice, 3n],
      ],
    );
  });

  test('a share record that has earned nothing is no payout', () => {
    const nothing = event('withdraw_rewards', { amount: '', validator, delegator: record });
    const closing = event('withdraw_tokenize_share_reward', { withdraw_address: account('bob') });
    assert.deepEqual(classifyBlock(block([nothing, closing]), chain).shareRewards, []);
  });
});

describe('transactions', () => {
  const send = message('/cosmos.bank.v1beta1.MsgSend');
  const inner = message('/cosmos.authz.v1beta1.MsgExec', {}, [send]);
  const exec = message('/cosmos.authz.v1beta1.MsgExec', {}, [send, inner]);

  test('a transaction has its messages in order, and those within them apart', () => {
    const { message_types, inner_message_types } = indexed(transaction([exec, send], []));
    assert.deepEqual(message_types, [exec.typeUrl, send.typeUrl]);
    assert.deepEqual(inner_message_types, [send.typeUrl, inner.typeUrl, send.typeUrl]);
  });

  test('who paid the fee is the payer, and nobody where none was taken', () => {
    const [payer, sender] = [account('granter'), account('sender')];
    const paid = [
      ...sendCoins(payer, chain.module('fee_collector'), '5uatom'),
      event('tx', { fee: '5uatom', fee_payer: payer }),
    ];
    const arrived = sendCoins(account('other'), sender, '3uatom');
    const failed = indexed(transaction([send], paid, 5));
    assert.deepEqual(
      [failed.payer, failed.fee_amount, failed.fee_denom, failed.code, failed.height],
      [payer, 5n, 'uatom', 5, 7],
    );
    assert.deepEqual(failed.signers, []);
    const free = indexed(transaction([], arrived));
    assert.deepEqual([free.payer, free.fee_amount, free.fee_denom, free.message_types], [null, null, null, []]);
  });
});

test('signers are the accounts whose signatures were checked, in order, without those that only granted', () => {
  const [first, second, granter] = [account('zed'), account('abe'), account('granter')];
  const exec = message('/cosmos.authz.v1beta1.MsgExec', {}, [
    message('/cosmos.bank.v1beta1.MsgSend', { fromAddress: granter }),
  ]);
  const events = [first, second, first].map((address) => event('tx', { acc_seq: `${address}/7` }));
  assert.deepEqual(indexed(transaction([exec], events)).signers, [first, second]);
});

describe('validator names', () => {
  const alice = account('alice', 'cosmosvaloper');
  const bob = account('bob', 'cosmosvaloper');
  const create = (validatorAddress: string, moniker: string) =>
    message('/cosmos.staking.v1beta1.MsgCreateValidator', { validatorAddress, description: { moniker } });
  const edit = (validatorAddress: string, moniker: string) =>
    message('/cosmos.staking.v1beta1.MsgEditValidator', { validatorAddress, description: { moniker } });

  test('names come from successful messages, also authorised ones, in the order of the block', () => {
    const exec = message('/cosmos.authz.v1beta1.MsgExec', {}, [edit(bob.toUpperCase(), 'Bob 2'), edit(alice, '')]);
    const blockOf = (code: number) =>
      block([], [transaction([create(alice, 'Alice'), message('/cosmos.bank.v1beta1.MsgSend'), exec], [], code)]);
    assert.deepEqual(tablesOf(blockOf(0)).validatorNames, [
      { height: 7, position: 0, validator: alice, moniker: 'Alice' },
      { height: 7, position: 1, validator: bob, moniker: 'Bob 2' },
      { height: 7, position: 2, validator: alice, moniker: '' },
    ]);
    assert.deepEqual(tablesOf(blockOf(5)).validatorNames, []);
  });

  test('an edit of something else keeps the name', () => {
    assert.deepEqual(tablesOf(block([], [transaction([edit(alice, '[do-not-modify]')], [])])).validatorNames, []);
  });
});

/** Denom metadata is what a token says of itself, as the chain repeats it in text. */

describe('denom metadata', () => {
  function claimed(denom_metadata: string) {
    const record = event('set_denom_metadata', { denom: 'factory/cosmos1maker/x', denom_metadata });
    const [{ height, tx_hash, ...identity }] = tablesOf(block([record])).denomMetadata as [DenomMetadata];
    assert.deepEqual([height, tx_hash], [7, 'block:7']);
    return identity;
  }

  test('symbol and name are read, units and description passed over', () => {
    const text =
      'description:"A coin" denom_units:<denom:"factory/cosmos1maker/x" > denom_units:<denom:"coin" exponent:6 aliases:"name" > base:"factory/cosmos1maker/x" display:"coin" name:"Coin of X" symbol:"XCN" ';
    assert.deepEqual(claimed(text), { denom: 'factory/cosmos1maker/x', symbol: 'XCN', name: 'Coin of X' });
    assert.deepEqual(claimed(''), { denom: 'factory/cosmos1maker/x', symbol: '', name: '' });
  });

  test('a value cannot pass for a field, and escapes are undone', () => {
    const text =
      'description:"symbol:\\"GOOD\\" name:\\"good\\"" name:"\\320\\220TOM \\\\ \\"hub\\"\\n" symbol:"AT\\303\\226M"';
    assert.deepEqual(claimed(text), { denom: 'factory/cosmos1maker/x', symbol: 'ATÖM', name: 'АTOM \\ "hub"\n' });
  });

  test('the sample has three tokens that say what they are', () => {
    const found = [...sampleBlocks()].flatMap((block) => classifyBlock(block, chain).denomMetadata);
    assert.deepEqual(
      found.map(({ denom, height, symbol, name }) => [denom.split('/')[2], height, symbol, name]),
      [
        ['uatom', 52, 'ATOM', 'Cosmos Hub Atom'],
        ['claim-at-atomgift.example', 52, 'CLAIM', 'claim-at-atomgift.example'],
        ['uusd', 52, 'USDL', 'uusd'],
      ],
    );
  });
});
