/** A block that cannot be had, cannot be read or does not fit the chain: it stops the night, as one line. */
export class BlockError extends Error {
  /** @param hash upper-case hex, or undefined when the record does not even say that */
  constructor(
    readonly height: number,
    readonly hash: string | undefined,
    readonly reason: string,
  ) {
    super(`block ${height}${hash ? ` (${hash})` : ''}: ${reason.replace(/\s+/g, ' ')}`);
  }
}
