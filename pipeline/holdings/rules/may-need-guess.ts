/** Tells the blocks before which the state is to be marked, because a guess may be made in them. */
import type { FullBlock } from '../../chain/block.js';
import { attributeOrNone } from './event-walk.js';
import { TransactionMessages } from './messages.js';

/** True when the block holds an undelegation that no message explains: a contract's, or what a passed proposal ran. */
export function mayNeedGuess({ events: own, transactions }: FullBlock): boolean {
  if (own.some(({ type }) => type === 'unbond')) return true;
  return transactions.some(({ code, events, messages }) => {
    if (code !== 0 || !events.some(({ type }) => type === 'unbond')) return false;
    const asked = new TransactionMessages(messages);
    return events.some((event) => {
      if (event.type !== 'unbond') return false;
      // The fold itself tells what is missing, with the place.
      const [delegator, validator] = ['delegator', 'validator'].map((key) => attributeOrNone(event, key) ?? '');
      return asked.askedAmount(event, delegator!.toLowerCase(), validator!.toLowerCase()) === undefined;
    });
  });
}
