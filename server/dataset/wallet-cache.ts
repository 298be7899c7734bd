/** The rows of the wallet store: read segment by segment, those of small wallets kept for a while. */
import { LRUCache } from 'lru-cache';
import { unpackEvents, walletKey } from '../../pipeline/wallet-store/events-format.js';
import type { PricedEvent } from '../../schemas/types.generated.js';

/** Rows that are kept unpacked, about 2 kB each. */
const KEPT_ROWS = 10_000;

interface Extent {
  readonly rows: number;
  readonly segments: number;
}

/** A wallet of one segment, unpacked. */
type Kept = readonly PricedEvent[];

export class WalletRows {
  private readonly recent = new LRUCache<string, Kept>({ maxSize: KEPT_ROWS });

  /** @param text reads a value of the store */
  constructor(private readonly text: (key: (string | number)[]) => string | undefined) {}

  /** Number of rows of a wallet. */
  count(address: string): number {
    return this.recent.get(address)?.length ?? this.extent(address).rows;
  }

  /** A wallet's rows in order, segment by segment. Nobody changes them: they are given again. */
  *segments(address: string): Generator<readonly PricedEvent[]> {
    const kept = this.recent.get(address);
    if (kept) return yield kept;
    const { segments } = this.extent(address);
    for (let n = 0; n < segments; n++) {
      const text = this.text(walletKey.segment(address, n));
      if (text === undefined) throw new Error(`segment ${n} of ${address} is missing in the wallet store`);
      const events = unpackEvents(address, text);
      if (segments === 1) this.recent.set(address, events, { size: events.length });
      yield events;
    }
  }

  private extent(address: string): Extent {
    const found = this.text(walletKey.extent(address));
    return found === undefined ? { rows: 0, segments: 0 } : JSON.parse(found);
  }
}
