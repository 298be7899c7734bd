/** Caches values of the wallet index after parsing, which takes ten times as long as reading them. */
import { LRUCache } from 'lru-cache';
import { type Extent, eventsFormat, walletKey } from '../../../pipeline/publish/wallet-index/events-format.js';
import { cachedRow, type EventRow, type RowContext } from '../../../pipeline/reports/event-row.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';

const VALUES_MAX_BYTES = 24 * 1024 * 1024;
const VALUE_MAX_BYTES = 2.5 * 1024 * 1024;
/** Estimated memory of a parsed value, in bytes per character of its text. */
const PARSED_BYTES = 5;

/** Rows of larger wallets are not cached. */
const CACHED_ROWS_MAX = 100;
/** Estimated memory of a row, excluding its JSON. */
const ROW_BYTES = 400;

export type IndexKey = (string | number)[];

export class WalletCache {
  private readonly values = new LRUCache<string, object>({
    maxSize: VALUES_MAX_BYTES,
    maxEntrySize: VALUE_MAX_BYTES,
  });

  constructor(readonly text: (key: IndexKey) => string | undefined) {}

  /**
   * Callers must not modify the value.
   * @param none returned if there is no value, but not cached: clients may ask for any number of keys
   */
  read<Value extends object>(key: IndexKey, parse: (text: string) => Value, none: Value): Value {
    const made = this.once(key.join(' '), () => {
      const text = this.text(key);
      return text === undefined ? undefined : { value: parse(text), bytes: text.length * PARSED_BYTES };
    });
    return made ?? none;
  }

  /** @param make returns the value and its estimated size */
  once<Value extends object>(
    name: string,
    make: () => { readonly value: Value; readonly bytes: number } | undefined,
  ): Value | undefined {
    const known = this.values.get(name);
    if (known) return known as Value;
    const made = make();
    if (made) this.values.set(name, made.value, { size: name.length * PARSED_BYTES + made.bytes });
    return made?.value;
  }
}

const NO_ROWS: Extent = { rows: 0, segments: 0, first: '', last: '' };

export const extentOf = (cache: WalletCache, address: string): Extent =>
  cache.read<Extent>(walletKey.extent(address), JSON.parse, NO_ROWS);

/** Wallets with several segments are not cached, because they would evict all others. */
export function* segmentsOf(cache: WalletCache, address: string): Generator<readonly PricedEvent[]> {
  const { segments } = extentOf(cache, address);
  for (let n = 0; n < segments; n++) {
    const key = walletKey.segment(address, n);
    const unpack = (text: string) => eventsFormat.parse(address, text);
    const events = segments === 1 ? cache.read(key, unpack, []) : unpack(cache.text(key) ?? '[]');
    if (events.length === 0) throw new Error(`segment ${n} of ${address} is missing in the wallet index`);
    yield events;
  }
}

/** Returns undefined for large wallets. */
export function cachedRowsOf(
  cache: WalletCache,
  address: string,
  context: RowContext,
): readonly EventRow[] | undefined {
  if (extentOf(cache, address).rows > CACHED_ROWS_MAX) return undefined;
  return cache.once<readonly EventRow[]>(`kept ${address}`, () => {
    const rows = [...segmentsOf(cache, address)].flat().map((event) => cachedRow(event, context));
    return { value: rows, bytes: rows.reduce((sum, { json }) => sum + json.length + ROW_BYTES, 0) };
  });
}
