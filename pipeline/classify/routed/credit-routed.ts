/**
 * Transfers between chains through contracts that only pass coins on: kinds of data/reference/contracts.json that are routers. The
 * transfer module names the contract as sender or receiver; whose coins they were, the payments of the same scope tell. Each account's
 * rows add up to what they did before.
 */
import type { ChainFacts, RowDraft } from '../classifier.js';
import { creditReceived, creditRefunds } from './arrived.js';
import { RoutedRows } from './routed-rows.js';
import { creditSent } from './sent.js';

/** Gives routers' transfers to the wallets whose coins they moved. @param rows all rows of one scope */
export function creditRouted(rows: readonly RowDraft[], chain: ChainFacts): readonly RowDraft[] {
  const routed = new RoutedRows(rows, chain);
  creditSent(routed);
  creditRefunds(routed);
  creditReceived(routed);
  return routed.list;
}
