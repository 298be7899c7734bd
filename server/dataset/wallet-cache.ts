/**
 * The wallet cache: values of the wallet index that were read lately, parsed. To parse a wallet's rows takes ten times as long as to
 * find them, and most requests ask for the same few wallets, denoms and validators.
 */
import { LRUCache } from 'lru-cache';

/** Characters of the texts behind parsed values, which take some five bytes of memory each. */
const VALUES_MAX_CHARACTERS = 4 * 1024 * 1024;
const VALUE_MAX_CHARACTERS = 512 * 1024;

export type IndexKey = (string | number)[];

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
