/** The origin of a row on the chain: its block, its transaction, its message, its event and the payments around it. */
import type { ChainEventRecord, FullBlock, Transaction } from '../../pipeline/chain/block.js';
import type { Payment } from '../../pipeline/classify/classifier.js';
import { cutBlock, cutTransaction, type Part, readPayments } from '../../pipeline/classify/scopes.js';
import type { PricedEvent } from '../../schemas/types.generated.js';

export interface Origin {
  readonly block: FullBlock;
  /** Transaction of the event; undefined where the chain acted by itself. */
  readonly transaction: Transaction | undefined;
  /** The message, or the phase of the block or transaction, that the event belongs to. */
  readonly part: Part | undefined;
  /** Index of the event in its transaction, or among the block's own events. */
  readonly index: number;
  readonly event: ChainEventRecord;
  /** Payments of that part in which the wallet paid or received. */
  readonly payments: readonly Payment[];
}

/** The place that a row's id names: `<height>-<transaction index or block>-<event index>-<item>-<side>`. */
function placeOf(id: string): { place: string; index: number } {
  const [, place, index] = id.split('-');
  return { place: place!, index: Number(index) };
}

/** Tells rows that follow from a starting state of a later block instead of an event. */
export const restsOnState = ({ id }: Pick<PricedEvent, 'id'>): boolean => id.includes('-block-state-');

/**
 * Finds the origin of a row in its block; undefined for a row that rests on no event.
 * @throws Error when the block has no such event: the row was made of another one
 */
export function originOf({ id, address }: PricedEvent, block: FullBlock): Origin | undefined {
  if (restsOnState({ id })) return undefined;
  const { place, index } = placeOf(id);
  const transaction = place === 'block' ? undefined : block.transactions[Number(place)];
  const event = (transaction ?? block).events[index];
  if (!event) throw new Error(`block ${block.height} has no event ${index} at ${place}`);
  const parts = transaction ? cutTransaction(transaction) : cutBlock(block.events);
  const part = parts.find(({ events, bank }) => [...events, ...bank].some((other) => other.index === index));
  const payments = readPayments(part?.bank ?? []).filter(({ from, to }) => from === address || to === address);
  return { block, transaction, part, index, event, payments };
}
