/** Events and transactions of a generated chain. */
import type { ChainEventRecord, Transaction } from '../../../pipeline/chain/block.js';
import { moduleAccount } from '../../../pipeline/holdings/modules/addresses.js';
import { sha256 } from './generated-size.js';

export const DISTRIBUTION = moduleAccount('distribution', 'cosmos', sha256);
export const BONDED_POOL = moduleAccount('bonded_tokens_pool', 'cosmos', sha256);
export const NOT_BONDED_POOL = moduleAccount('not_bonded_tokens_pool', 'cosmos', sha256);

export function event(type: string, attributes: Readonly<Record<string, string>>): ChainEventRecord {
  return { type, attributes: Object.entries(attributes).map(([key, value]) => ({ key, value })) };
}

/** Events of a message; it is the only one of its transaction. */
export const ofMessage = (type: string, attributes: Readonly<Record<string, string>>) =>
  event(type, { ...attributes, msg_index: '0' });

export function coinsMoved(from: string, to: string, amount: string): ChainEventRecord[] {
  if (amount === '') return [];
  return [
    ofMessage('coin_spent', { spender: from, amount }),
    ofMessage('coin_received', { receiver: to, amount }),
    ofMessage('transfer', { recipient: to, sender: from, amount }),
  ];
}

/** A transaction of one message. */
export function transactionOf(
  at: { readonly height: number; readonly index: number },
  sender: string,
  typeUrl: string,
  events: readonly ChainEventRecord[],
): Transaction {
  return {
    index: at.index,
    hash: `${at.height}/${at.index}`,
    code: 0,
    memo: '',
    messages: [{ typeUrl, value: {}, bytes: new Uint8Array(), inner: [] }],
    events: [
      event('tx', { fee: '1000uatom', fee_payer: sender }),
      ofMessage('message', { action: typeUrl, sender }),
      ...events,
    ],
  };
}
