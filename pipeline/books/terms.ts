/** How the books of a request are kept, and the sentences about it. */
import type { Currency } from './currencies/currency.js';
import { usd } from './currencies/usd.js';
import { fifo } from './methods/fifo.js';
import { methodNamed } from './methods/index.js';
import type { LotMethod } from './methods/method.js';

export interface Terms {
  readonly currency: Currency;
  readonly method: LotMethod;
}

/** The terms of a nightly run, and of a request that names none. */
export const USUAL: Terms = { currency: usd, method: fifo };

/**
 * Returns the terms for values of parameters.
 * @param method a name in methods/index.ts
 */
export const termsOf = (method: string): Terms => ({ ...USUAL, method: methodNamed(method) });

/** Returns the sentences that answers, papers and pages print about the terms. */
export const sentences = ({ method }: Terms) => ({
  lots: `Every wallet keeps its own lots, and ${method.rule} (${method.term}).`,
  /** '' for the usual terms. */
  whatIf: method === USUAL.method ? '' : `This is a what-if calculation: the usual method is ${USUAL.method.term}.`,
});
