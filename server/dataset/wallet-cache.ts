/**
 * The wallet cache: values of the wallet index that were read lately, parsed. To parse a wallet's rows takes ten times as long as to
 * find them, and most requests ask for the same few wallets, denoms and validators.
 */
import { LRUCache } from 'lru-cache';
import { parseEvents, walletKey } from '../../pipeline/wallet-index/events-format.js';
import type { PricedEvent } from '../../schemas/types.generated.js';

/** Characters of the texts behind parsed values, which take some five bytes of memory each. */
const VALUES_MAX_CHARACTERS = 4 * 1024 * 1024;
const VALUE_MAX_CHARACTERS = 512 * 1024;

export type IndexKey = (string | number)[];

/** The cache of one dataset's parsed values. */
export class WalletCache {
  private readonly values = new LRUCache<string, object>({
    maxSize: VALUES_MAX_CHARACTERS,
    maxEntrySize: VALUE_MAX_CHARACTERS,
  });

  /** @param text reads a value of the wallet index; undefined where there is none */
  constructor(readonly text: (key: IndexKey) => string | undefined) {}

  /**
   * The parsed value of a key. Nobody changes it: it is given again.
   * @param none what stands for a value that is not there, which is not kept: anybody can ask for it
   */
  read<Value extends object>(key: IndexKey, parse: (text: string) => Value, none: Value): Value {
    const name = key.join(' ');
    const known = this.values.get(name);
    if (known) return known as Value;
    const text = this.text(key);
    if (text === undefined) return none;
    const value = parse(text);
    this.values.set(name, value, { size: name.length + text.length });
    return value;
  }
}

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
