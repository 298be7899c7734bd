/** A block that is missing, unreadable or inconsistent with the chain. Stops the night with one line. */
export class BlockError extends Error {
  constructor(
    readonly height: number,
    readonly hash: string | undefined,
    readonly reason: string,
  ) {
    super(`block ${height}${hash ? ` (${hash})` : ''}: ${reason.replace(/\s+/g, ' ')}`);
  }
}
