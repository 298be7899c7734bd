import { Problem } from '../http/problem.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { coveredBlocks } from '../tax/dataset/instants.js';

/** Throws a Problem if the dataset does not have the holdings of every block. */
export function requireInstants(dataset: Dataset): void {
  const { manifest } = dataset;
  const fail = (detail: string) => new Problem('unavailable', detail, { lasting: true });
  if (manifest.holdings_until === null) {
    throw fail(
      'this dataset was made without a starting state of the chain: it has no balances, and retrying does not help',
    );
  }
  if (coveredBlocks(dataset) === undefined) {
    const { holdings_from, holdings_until } = manifest;
    const known = `holdings are known from block ${holdings_from} on and proved up to block ${holdings_until}`;
    const detail = `${known}: no block of the index has them, or an earlier version made this dataset`;
    throw new Problem('holdings_incomplete', detail, { provedDays: null, lasting: true });
  }
}

/** Throws a Problem if the dataset does not have the delegations of every block. */
export function requireWholeChain(dataset: Dataset): void {
  if (dataset.manifest.own_wallets) {
    const detail = 'this dataset has single wallets only: balances in a time zone need the whole chain';
    throw new Problem('unavailable', detail, { lasting: true });
  }
}

/** Makes a Problem for a wallet whose rows do not explain what nodes report. */
export function incompleteWallet(dataset: Dataset, address: string): Problem {
  const { missing } = dataset.trackedWallet(address)!;
  const detail = `holdings of ${address} at this instant are unknown: ${missing.join('; ')}`;
  return new Problem('holdings_incomplete', detail, { provedDays: null, lasting: true });
}
