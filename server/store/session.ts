/** Sessions: what both databases offer below the store, statements on one connection at a time. */
import { ConfigError } from '../../pipeline/config-error.js';

export type Value = string | number | boolean | Date | Uint8Array | readonly string[] | object | null;

export type Row = Readonly<Record<string, unknown>>;

/** One connection. Its statements run in the order in which they are given. */
export interface Session {
  /** Runs one statement with positional parameters ($1, $2 …). @throws StatementError */
  run(sql: string, values: readonly Value[]): Promise<Row[]>;
  /** Runs several statements without parameters. @throws StatementError */
  script(sql: string): Promise<void>;
}

export interface ClosableSession extends Session {
  /** Gives the room of deleted rows free, and brings every file to disk. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

export interface Backend {
  /** Gives a connection that is nobody else's until it is released; a broken one is not given out again. */
  acquire(): Promise<Session & { release(broken?: boolean): void }>;
  /** Gives the room of deleted rows free, where the database does not do so by itself. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

/** A statement that the database refused. */
export class StatementError extends Error {
  /** @param sqlState five characters, for example 23505: a unique key is there already */
  constructor(
    message: string,
    readonly sqlState: string,
  ) {
    super(message);
  }
}

/** A database that cannot be reached: a condition for an operator to mend, and for a caller to wait for. */
export class StoreUnavailable extends ConfigError {
  /** @param isLost false: the database is there and answers, only this cannot be done now */
  constructor(
    message: string,
    readonly isLost = true,
  ) {
    super(message);
  }
}

/** Tells errors after which a connection is of no use. */
export const isLost = (error: unknown): boolean => error instanceof StoreUnavailable && error.isLost;

/**
 * Waits for a change that no answer rests on, such as the time of a key's last use: a database that can only be read leaves it undone.
 * @returns whether it was made
 */
export async function madeIfWritable(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable && !error.isLost) return false;
    throw error;
  }
}

/** Codes and classes of SQLSTATE that speak of all statements: the connection breaks, an operator steps in, the tables are gone. */
const LOST = /^(?:08|57|42P01)/;
/** Those of statements that the database would do at another time: it is read-only, full, too busy, or cannot read its files. */
const NOT_NOW = /^(?:25006|40|53|55|58|XX)/;

/**
 * Takes an error of a driver as one of the two kinds above: what carries an SQLSTATE is an answer of the database, and only some say that
 * the statement was not at fault.
 */
export function storeError(error: unknown): StatementError | StoreUnavailable {
  if (error instanceof StatementError || error instanceof StoreUnavailable) return error;
  const { message, code = '' } = error as { message?: string; code?: string };
  const told = message || code || 'no reason given';
  const isLost = !/^[0-9A-Z]{5}$/.test(code) || LOST.test(code);
  if (isLost || NOT_NOW.test(code)) return new StoreUnavailable(`the store: ${told}`, isLost);
  return new StatementError(told, code);
}

/** Throws an error of a driver as the store's. */
export function throwStoreError(error: unknown): never {
  throw storeError(error);
}
