const NOWHERE = 'no node has it: ';

export class BlockError extends Error {
  constructor(
    readonly height: number,
    readonly hash: string | undefined,
    readonly reason: string,
  ) {
    super(`block ${height}${hash ? ` (${hash})` : ''}: ${reason.replace(/\s+/g, ' ')}`);
  }

  static nowhere(height: number, complaints: Iterable<string>): BlockError {
    return new BlockError(height, undefined, NOWHERE + [...complaints].join('; '));
  }

  /** True if no node returned the block. */
  get isNowhere(): boolean {
    return this.reason.startsWith(NOWHERE);
  }

  /** True if all nodes answered that they lack the block. */
  get isAbsent(): boolean {
    return this.isNowhere && !this.reason.includes(' fails: ');
  }
}
