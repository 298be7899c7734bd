import { LRUCache } from 'lru-cache';
import { type EventRow, type RowContext, walletRows, withJson } from '../../../pipeline/books/reports/event-row.js';
import {
  type Extent,
  eventsFormat,
  SEGMENT_ROWS,
  walletKey,
} from '../../../pipeline/publish/wallet-index/events-format.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';

/** Prices of a coin by UTC day (YYYY-MM-DD), ascending. Unit: micro-USD per displayed unit, such as ATOM. */
export class Prices extends Map<string, bigint> {
  private readonly days = [...this.keys()];

  static parse(text: string): Prices {
    return new Prices((JSON.parse(text) as [string, string][]).map(([day, usd]) => [day, BigInt(usd)]));
  }

  /** Searches backwards, because most requests concern recent days. */
  lastDayUntil(day: string): string | undefined {
    return this.days.findLast((priced) => priced <= day);
  }
}

const VALUES_MAX_BYTES = 24 * 1024 * 1024;
const VALUE_MAX_BYTES = 2.5 * 1024 * 1024;
/** Estimated memory of a parsed value: bytes per character of its text. */
const PARSED_BYTES = 5;

const CACHED_ROWS_MAX = 100;
const ROW_BYTES = 400;

export type IndexKey = (string | number)[];

export interface Sized<Value> {
  readonly value: Value;
  /** Estimated memory. */
  readonly bytes: number;
}

/** Caches parsed values of the wallet index. Parsing takes ten times as long as reading the index. */
export class WalletCache {
  private readonly values = new LRUCache<string, object>({
    maxSize: VALUES_MAX_BYTES,
    maxEntrySize: VALUE_MAX_BYTES,
  });

  /**
   * @param layers functions that read the text of a key, first from the base layers, then from the open layer
   */
  constructor(readonly layers: readonly ((key: IndexKey) => string | undefined)[]) {}

  texts(key: IndexKey): string[] {
    return this.layers.flatMap((textOf) => textOf(key) ?? []);
  }

  /**
   * Returns a cached value, or parses it. Callers must not modify the value.
   * @param parse receives the texts of all layers that have the key
   * @param none returned if no layer has the key; also cached, because most wallets lack some keys
   */
  read<Value extends object>(key: IndexKey, parse: (texts: [string, ...string[]]) => Value, none: Value): Value {
    return this.once(key.join(' '), () => {
      const [first, ...more] = this.texts(key);
      if (first === undefined) return { value: none, bytes: 0 };
      const bytes = PARSED_BYTES * more.reduce((sum, { length }) => sum + length, first.length);
      return { value: parse([first, ...more]), bytes };
    });
  }

  /** Returns a cached value, or makes it. */
  once<Value extends object>(name: string, make: () => Sized<Value>): Value {
    const known = this.values.get(name);
    if (known) return known as Value;
    const { value, bytes } = make();
    this.values.set(name, value, { size: name.length * PARSED_BYTES + bytes });
    return value;
  }
}

interface WalletExtent {
  readonly rows: number;
  /** Number of segments (groups of rows) in each layer. */
  readonly segments: readonly number[];
}

const EXTENT_BYTES = 200;

export function extentOf(cache: WalletCache, address: string): WalletExtent {
  const key = walletKey.extent(address);
  const read = () => {
    const texts = cache.layers.map((textOf) => textOf(key));
    const extents = texts.map((text): Extent => (text ? JSON.parse(text) : NO_SEGMENTS));
    const rows = extents.reduce((sum, extent) => sum + extent.rows, 0);
    return { value: { rows, segments: extents.map(({ segments }) => segments) }, bytes: EXTENT_BYTES };
  };
  return cache.once(key.join(' '), read);
}

const NO_SEGMENTS: Extent = { rows: 0, segments: 0 };

/**
 * Yields a wallet's rows in segments, first from the base layers, then from the open layer. Wallets with more than one
 * segment are not cached, because they would evict all other wallets.
 */
export function* segmentsOf(cache: WalletCache, address: string): Generator<readonly PricedEvent[]> {
  const { rows, segments } = extentOf(cache, address);
  for (const [layer, count] of segments.entries()) {
    for (let n = 0; n < count; n++) {
      const key = walletKey.segment(address, n);
      const unpack = () => {
        const text = cache.layers[layer]!(key);
        if (text === undefined) throw new Error(`segment ${n} of ${address} is missing in the wallet index`);
        return { value: eventsFormat.parse(address, text), bytes: text.length * PARSED_BYTES };
      };
      yield rows <= SEGMENT_ROWS ? cache.once(`${layer} ${key.join(' ')}`, unpack) : unpack().value;
    }
  }
}

/** Returns a wallet's rows if they are cached. Large wallets are never cached, so undefined is returned for them. */
export function cachedRowsOf(
  cache: WalletCache,
  address: string,
  context: RowContext,
): readonly EventRow[] | undefined {
  if (extentOf(cache, address).rows > CACHED_ROWS_MAX) return undefined;
  return cache.once<readonly EventRow[]>(`kept ${address}`, () => {
    const rowOf = walletRows(context);
    const rows = [...segmentsOf(cache, address)].flat().map((event) => withJson(rowOf(event)));
    return { value: rows, bytes: rows.reduce((sum, { json }) => sum + json.length + ROW_BYTES, 0) };
  });
}
