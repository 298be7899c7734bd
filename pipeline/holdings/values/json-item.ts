/** Reads untrusted JSON. Error messages contain the path of the wrong member. */
import { parseDecimal18 } from './decimal18.js';

/** Amounts of the chain have at most 256 bits, which is 78 digits and a sign. */
const DIGITS_MAX = 79;
const DECIMAL_MAX = DIGITS_MAX + 19;

export class StartingStateError extends Error {}

export class JsonItem {
  constructor(
    readonly path: string,
    private readonly value: unknown,
  ) {}

  private wrong(expected: string): StartingStateError {
    const found = this.value === undefined ? 'nothing' : JSON.stringify(this.value).slice(0, 80);
    return new StartingStateError(`${this.path} is ${found}, not ${expected}`);
  }

  /** Returns a member. A null value counts as missing. */
  member(name: string): JsonItem {
    if (typeof this.value !== 'object' || this.value === null) throw this.wrong('an object');
    return new JsonItem(`${this.path}.${name}`, (this.value as Record<string, unknown>)[name] ?? undefined);
  }

  /** Returns a member of this object. If this object is missing, the member is missing too. */
  optional(name: string): JsonItem {
    return this.value === undefined ? this : this.member(name);
  }

  list(): JsonItem[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) throw this.wrong('a list');
    return this.value.map((element, i) => new JsonItem(`${this.path}[${i}]`, element));
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.wrong('text');
    return this.value;
  }

  /** Returns an address in lower case, because exports may contain addresses in capitals. */
  address(): string {
    return this.text().toLowerCase();
  }

  textOr(other: string): string {
    return this.value === undefined ? other : this.text();
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') throw this.wrong('true or false');
    return this.value;
  }

  integer(): bigint {
    const text = typeof this.value === 'number' ? String(this.value) : this.value;
    if (typeof text !== 'string' || text.length > DIGITS_MAX || !/^-?\d+$/.test(text))
      throw this.wrong('a whole number');
    return BigInt(text);
  }

  count(): number {
    return Number(this.integer());
  }

  countOr(other: number): number {
    return this.value === undefined ? other : this.count();
  }

  decimal(): bigint {
    try {
      if (this.text().length <= DECIMAL_MAX) return parseDecimal18(this.text());
    } catch {}
    throw this.wrong('a decimal');
  }

  decimalOrNull(): bigint | null {
    return this.value === undefined ? null : this.decimal();
  }

  /** Reads a duration in nanoseconds, written like '1814400s'. */
  duration(): bigint {
    const match = /^(\d{1,10})(?:\.(\d{1,9}))?s$/.exec(this.text());
    if (!match) throw this.wrong('a duration in seconds');
    return BigInt(match[1]! + (match[2] ?? '').padEnd(9, '0'));
  }
}
