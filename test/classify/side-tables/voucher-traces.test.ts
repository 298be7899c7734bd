/** Traces of vouchers, from whatever event names them; a made-up packet of each kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../../pipeline/classify/classify-blocks.js';
import { block, chain, event, message, transaction } from '../events.js';
import { sampleBlocks } from '../sample.js';

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
