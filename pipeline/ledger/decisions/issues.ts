/** Faults of input: a place and a sentence for each. */

export interface Issue {
  /** JSON pointer (RFC 6901) below the value that was read; '' is the value itself. */
  readonly path: string;
  readonly message: string;
}

/** The result of reading: a value, or at least one fault. */
export type Parsed<T> = { readonly value: T } | { readonly errors: readonly Issue[] };

/** Reading in steps, of which each takes some microseconds: a megabyte of input is read while others get their turn. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Faults after which reading stops: input of a megabyte can be wrong in ten thousand places, and nobody reads them all. */
export const ISSUES_MAX = 50;
