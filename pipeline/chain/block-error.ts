export class BlockError extends Error {
  constructor(
    readonly height: number,
    readonly hash: string | undefined,
    readonly reason: string,
  ) {
    super(`block ${height}${hash ? ` (${hash})` : ''}: ${reason.replace(/\s+/g, ' ')}`);
  }
}
