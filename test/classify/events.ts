/** Made-up events and blocks, for what no recording holds. */
import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { Block, ChainEventRecord, Message, Transaction } from '../../pipeline/chain/block.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { loadReference } from '../../pipeline/reference.js';

const reference = loadReference();
export const chain = chainFacts(reference.chain, reference.contracts);

/** An account of that name. */
export const account = (name: string, prefix = 'cosmos'): string =>
  bech32.encode(prefix, bech32.toWords(createHash('sha256').update(`account ${name}`).digest().subarray(0, 20)));

type Pairs = Readonly<Record<string, string>>;

export const event = (type: string, pairs: Pairs, more: Pairs = {}): ChainEventRecord => ({
  type,
  attributes: Object.entries({ ...pairs, ...more }).map(([key, value]) => ({ key, value })),
});

/** The bank's events of a send. */
export const send = (from: string, to: string, amount: string, more: Pairs = {}): ChainEventRecord[] => [
  event('coin_spent', { spender: from, amount }, more),
  event('coin_received', { receiver: to, amount }, more),
];

export const message = (typeUrl: string, value: unknown = {}, inner: readonly Message[] = []): Message => ({
  typeUrl,
  value,
  bytes: new Uint8Array(),
  inner,
});

export function block(events: readonly ChainEventRecord[], transactions: readonly Transaction[] = []): Block {
  return { height: 7, time: '2026-01-02T03:04:05.678Z', hash: '', chainId: '', events, transactions };
}

export const transaction = (
  messages: readonly Message[],
  events: readonly ChainEventRecord[],
  code = 0,
): Transaction => ({ index: 0, hash: 'AB'.repeat(32), code, memo: '', messages, events });
