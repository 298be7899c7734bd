/** Made-up calls of Skip Go's contracts on the Hub, as the chain's modules tell of them. */
import assert from 'node:assert/strict';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { account, block, chain, event, message, send, transaction } from './events.js';

export const [alice, relayer] = [account('alice'), account('relayer')];
export const entry = 'cosmos1clswlqlfm8gpn7n5wu0ypu0ugaj36urlhj7yz30hn7v7mkcm2tuqy9f8s5';
export const adapter = 'cosmos1lqu9662kd4my6dww4gzp3730vew0gkwe0nl9ztjh0n5da0a8zc4swsvd22';
export const pool = account('pool');
export const osmosis = chain.escrow('transfer', 'channel-141');
export const client = '08-wasm-1369';
export const ethereum = chain.escrow('transfer', client);
const inMessage = { msg_index: '0' };
export const told = (type: string, pairs: Record<string, string>) => event(type, pairs, inMessage);
export const pay = (from: string, to: string, amount: string) => send(from, to, amount, inMessage);
export const run = (contract: string) => told('execute', { _contract_address: contract });

/** Rows of accounts that are no contract: category, what was sent, what was received, counterparty, link. */
export function walletRows(sender: string, ...events: ChainEventRecord[]) {
  const call = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender });
  const { events: rows, unclassified } = classifyBlock(block([], [transaction([call], events)]), chain);
  assert.equal(unclassified.size, 0);
  return rows
    .filter(({ address }) => [alice, relayer].includes(address))
    .map((row) => [
      row.address === alice ? row.category : `relayer's ${row.category}`,
      row.sent_amount === null ? '' : `${row.sent_amount}${row.sent_denom}`,
      row.received_amount === null ? '' : `${row.received_amount}${row.received_denom}`,
      row.counterparty,
      row.link,
    ]);
}

export const packet = (type: string, sequence: number, end: 'src' | 'dst' = 'src') =>
  told(type, {
    [`packet_${end}_port`]: 'transfer',
    [`packet_${end}_channel`]: 'channel-141',
    packet_sequence: String(sequence),
  });
export const transfer = (amount: string, denom: string, sequence: number, receiver = 'osmo1x') => [
  ...pay(adapter, osmosis, `${amount}${denom}`),
  packet('send_packet', sequence),
  told('ibc_transfer', { sender: adapter, receiver, amount, denom: 'path' }),
];
export const throughEntry = (paid: string, passed = paid) => [
  ...pay(alice, entry, paid),
  run(entry),
  ...pay(entry, adapter, passed),
  run(adapter),
];
export const link = (sequence: number) => `ibc-transfer/channel-141/${sequence}`;
