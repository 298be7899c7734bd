export interface Issue {
  /** JSON pointer (RFC 6901) relative to the parsed value; '' is the value itself. */
  readonly path: string;
  readonly message: string;
}

export type Parsed<T> = { readonly value: T } | { readonly errors: readonly Issue[] };

/** A parser that yields often, so that 1 MiB of input does not block the event loop. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Parsing stops after this many errors. */
export const ISSUES_MAX = 50;
