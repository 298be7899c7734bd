/** A message of a model chain, as it is wished. */
import type { Message } from '../../../pipeline/chain/block.js';
import type { Chain, Validator } from './chain.js';

/** Subject of a message, all of it chosen from what there is. */
export interface Request {
  readonly delegator: string;
  readonly validator: Validator;
  readonly destination: Validator;
  /** Base units wished; taken as all there is when there is less. */
  readonly amount: bigint;
  readonly denom: string;
  /** Number that chooses among entries, records and numbers. */
  readonly choice: number;
}

/** Runs a message if the chain would let it. @returns it as the chain reader would give it; undefined when it would fail */
export type Rule = (chain: Chain, request: Request) => Message | undefined;
