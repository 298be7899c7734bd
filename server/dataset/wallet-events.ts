/** The rows of a wallet, segment by segment. */
import { parseEvents, walletKey } from '../../pipeline/wallet-index/events-format.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import type { WalletCache } from './wallet-cache.js';

interface RowCount {
  readonly rows: number;
  readonly segments: number;
}

const countOf = (cache: WalletCache, address: string): RowCount =>
  cache.read<RowCount>(walletKey.extent(address), JSON.parse, { rows: 0, segments: 0 });

export const rowsOf = (cache: WalletCache, address: string): number => countOf(cache, address).rows;

/**
 * A wallet's rows in order. Those of a wallet of one segment are kept; a large one would push everybody else's out.
 * @throws Error when a segment is missing in the wallet index
 */
export function* segmentsOf(cache: WalletCache, address: string): Generator<readonly PricedEvent[]> {
  const { segments } = countOf(cache, address);
  for (let n = 0; n < segments; n++) {
    const key = walletKey.segment(address, n);
    const unpack = (text: string) => parseEvents(address, text);
    const events = segments === 1 ? cache.read(key, unpack, []) : unpack(cache.text(key) ?? '[]');
    if (events.length === 0) throw new Error(`segment ${n} of ${address} is missing in the wallet index`);
    yield events;
  }
}
