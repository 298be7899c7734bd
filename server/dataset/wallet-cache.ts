/**
 * The wallet cache: values of the wallet index that were read lately, parsed, and the rows that small wallets have without decisions.
 * To parse a wallet's rows takes ten times as long as to find them, and most requests ask for the same few wallets, denoms and validators.
 */
import { LRUCache } from 'lru-cache';
import { type EventRow, keptRow, type RowContext } from '../../pipeline/reports/event-row.js';
import { type Extent, parseEvents, walletKey } from '../../pipeline/wallet-index/events-format.js';
import type { PricedEvent } from '../../schemas/types.generated.js';

const VALUES_MAX_BYTES = 24 * 1024 * 1024;
const VALUE_MAX_BYTES = 2.5 * 1024 * 1024;
/** About what a character of the index takes once it is parsed. */
const PARSED_BYTES = 5;

/** Rows of a wallet that is small enough for its rows to be kept: to write so many takes less than a millisecond. */
const KEPT_ROWS_MAX = 100;
/** About what a row takes beside its JSON. */
const ROW_BYTES = 400;

export type IndexKey = (string | number)[];

/** The cache of one dataset's parsed values. */
export class WalletCache {
  private readonly values = new LRUCache<string, object>({
    maxSize: VALUES_MAX_BYTES,
    maxEntrySize: VALUE_MAX_BYTES,
  });

  /** @param text reads a value of the wallet index; undefined where there is none */
  constructor(readonly text: (key: IndexKey) => string | undefined) {}

  /**
   * The parsed value of a key. Nobody changes it: it is given again.
   * @param none what stands for a value that is not there, which is not kept: anybody can ask for it
   */
  read<Value extends object>(key: IndexKey, parse: (text: string) => Value, none: Value): Value {
    const made = this.once(key.join(' '), () => {
      const text = this.text(key);
      return text === undefined ? undefined : { value: parse(text), bytes: text.length * PARSED_BYTES };
    });
    return made ?? none;
  }

  /** The value of a name, which is made of what the index has and kept. @param make gives about its bytes, too; undefined: there is none */
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

/** The extent of a wallet's rows; of none for one that has none. */
export const extentOf = (cache: WalletCache, address: string): Extent =>
  cache.read<Extent>(walletKey.extent(address), JSON.parse, NO_ROWS);

/**
 * A wallet's rows in order. Those of a wallet of one segment are kept; a large one would push everybody else's out.
 * @throws Error when a segment is missing in the wallet index
 */
export function* segmentsOf(cache: WalletCache, address: string): Generator<readonly PricedEvent[]> {
  const { segments } = extentOf(cache, address);
  for (let n = 0; n < segments; n++) {
    const key = walletKey.segment(address, n);
    const unpack = (text: string) => parseEvents(address, text);
    const events = segments === 1 ? cache.read(key, unpack, []) : unpack(cache.text(key) ?? '[]');
    if (events.length === 0) throw new Error(`segment ${n} of ${address} is missing in the wallet index`);
    yield events;
  }
}

/** The rows that a small wallet has without decisions, each with its JSON; undefined for a larger one. */
export function keptRowsOf(cache: WalletCache, address: string, context: RowContext): readonly EventRow[] | undefined {
  if (extentOf(cache, address).rows > KEPT_ROWS_MAX) return undefined;
  return cache.once<readonly EventRow[]>(`kept ${address}`, () => {
    const rows = [...segmentsOf(cache, address)].flat().map((event) => keptRow(event, context));
    return { value: rows, bytes: rows.reduce((sum, { json }) => sum + json.length + ROW_BYTES, 0) };
  });
}
