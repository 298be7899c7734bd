/** Reading JSON that somebody else wrote: a member that is not what it should be is named by its path. */
import { parseDecimal18 } from './decimal18.js';

export class StartingStateError extends Error {}

/** A JSON value with the path that leads to it. */
export class JsonItem {
  constructor(
    readonly path: string,
    private readonly value: unknown,
  ) {}

  private wrong(expected: string): StartingStateError {
    const found = this.value === undefined ? 'nothing' : JSON.stringify(this.value).slice(0, 80);
    return new StartingStateError(`${this.path} is ${found}, not ${expected}`);
  }

  /** A member of an object. A null is a member that is not there. */
  member(name: string): JsonItem {
    if (typeof this.value !== 'object' || this.value === null) throw this.wrong('an object');
    return new JsonItem(`${this.path}.${name}`, (this.value as Record<string, unknown>)[name] ?? undefined);
  }

  /** The elements of a list; none when it is not there. */
  list(): JsonItem[] {
    if (this.value === undefined) return [];
    if (!Array.isArray(this.value)) throw this.wrong('a list');
    return this.value.map((element, i) => new JsonItem(`${this.path}[${i}]`, element));
  }

  text(): string {
    if (typeof this.value !== 'string') throw this.wrong('text');
    return this.value;
  }

  /** Reads an address, in lower case: the state keeps an operator's, and whom a record is of, as their messages spelled them. */
  address(): string {
    return this.text().toLowerCase();
  }

  /** Reads a text; gives the other one where nothing is there. */
  textOr(other: string): string {
    return this.value === undefined ? other : this.text();
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') throw this.wrong('true or false');
    return this.value;
  }

  /** A whole number, written as a number or as text. */
  integer(): bigint {
    const text = typeof this.value === 'number' ? String(this.value) : this.value;
    if (typeof text !== 'string' || !/^-?\d+$/.test(text)) throw this.wrong('a whole number');
    return BigInt(text);
  }

  /** A whole number that counts things or blocks, never money. */
  count(): number {
    return Number(this.integer());
  }

  /** Reads a count; gives the other number where nothing is there. */
  countOr(other: number): number {
    return this.value === undefined ? other : this.count();
  }

  /** A decimal × 10^18. */
  decimal(): bigint {
    try {
      return parseDecimal18(this.text());
    } catch {
      throw this.wrong('a decimal');
    }
  }

  /** A duration such as '1814400s' in nanoseconds; ten digits are three centuries. */
  duration(): bigint {
    const match = /^(\d{1,10})(?:\.(\d{1,9}))?s$/.exec(this.text());
    if (!match) throw this.wrong('a duration in seconds');
    return BigInt(match[1]! + (match[2] ?? '').padEnd(9, '0'));
  }
}
