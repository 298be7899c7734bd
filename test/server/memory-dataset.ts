/** A dataset of given events in memory. */

import { ExchangeRates } from '../../pipeline/books/currencies/exchange-rates.js';
import { coverageOf, WHOLE_INDEX } from '../../pipeline/books/reports/coverage.js';
import { SEGMENT_ROWS } from '../../pipeline/publish/wallet-index/events-format.js';
import { loadReference } from '../../pipeline/reference.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { Dataset } from '../../server/tax/dataset/dataset.js';
import { instantValues } from '../../server/tax/dataset/instant-values.js';
import { Prices, WalletCache } from '../../server/tax/dataset/wallet-cache.js';
import { contextOf, manifest } from './published.js';

const reference = loadReference();

/** Makes a dataset. @param read told every segment that is read, by wallet and number @param opening what wallets held before the index */
export function memoryDataset(
  wallets: Readonly<Record<string, readonly PricedEvent[]>>,
  read: (address: string, segment: number) => void = () => undefined,
  opening: Readonly<Record<string, ReadonlyMap<string, bigint>>> = {},
): Dataset {
  const generation = 'h1-000000000000';
  const its = manifest(generation, 1);
  const cache = new WalletCache([]);
  return {
    generation,
    tag: 'memory',
    height: 1,
    said: '{}',
    time: '2026-04-14T12:00:00Z',
    indexStart: '2025-12-31',
    indexEnd: '2026-04-14',
    coverage: coverageOf(its, WHOLE_INDEX),
    coverageOf: (range) => coverageOf(its, range),
    otherVersions: [],
    manifest: its,
    reference,
    rowContext: contextOf([]),
    rows: (address) => wallets[address]?.length ?? 0,
    cachedRows: () => undefined,
    once: (name, make) => cache.once(name, make),
    *events(address) {
      const events = wallets[address] ?? [];
      for (let i = 0; i < events.length; i += SEGMENT_ROWS) {
        read(address, i / SEGMENT_ROWS);
        yield events.slice(i, i + SEGMENT_ROWS);
      }
    },
    opening: (address) => opening[address],
    flagged: () => [],
    restatements: () => [],
    prices: () => new Prices(),
    quotes: () => new Map(),
    exchangeRates: () => new ExchangeRates(),
    holdings: () => undefined,
    validator: () => ({ days: [], slashes: [] }),
    validators: () => new Map(),
    accrued: () => new Map(),
    payouts: () => [],
    releases: () => undefined,
    days: () => [],
    edges: () => [],
    trackedWallet: () => undefined,
    trackedDays: () => [],
    ...instantValues(cache),
    incompleteWallets: () => [],
  };
}
