import { ConfigError } from '../../../pipeline/base/config-error.js';
import type { LookupCache } from './lookup-cache.js';

export type Value = string | number | boolean | Date | Uint8Array | readonly string[] | object | null;

export type Row = Readonly<Record<string, unknown>>;

export interface Session {
  run(sql: string, values: readonly Value[]): Promise<Row[]>;
  script(sql: string): Promise<void>;
}

export interface ClosableSession extends Session {
  /** Reclaims space and syncs all files of the database. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

export interface Backend {
  /**
   * Reserves a connection for the caller. `release(true)` closes the connection instead of returning it to the pool.
   */
  acquire(): Promise<Session & { release(broken?: boolean): void }>;
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

export class StatementError extends Error {
  constructor(
    message: string,
    readonly sqlState: string,
  ) {
    super(message);
  }
}

/** Thrown if the database is unavailable, or temporarily rejects a statement. */
export class StoreUnavailable extends ConfigError {
  /** @param isLost false if the database responds but temporarily rejects this statement */
  constructor(
    message: string,
    readonly isLost = true,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const isLost = (error: unknown): boolean => error instanceof StoreUnavailable && error.isLost;

/**
 * Waits for a change that may fail, such as recording when a key was last used.
 * @returns false if the database temporarily rejects the change, for example because it is read-only
 */
export async function skipIfReadOnly(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable && !error.isLost) return false;
    throw error;
  }
}

/** SQLSTATE prefixes that mean an outage: 08 lost connection, 57 operator intervention, 42P01 missing table. */
const LOST = /^(?:08|57|42P01)/;
/** SQLSTATE prefixes of temporary errors: read-only, rollback, lack of resources, I/O error or internal error. */
const NOT_NOW = /^(?:25006|40|53|55|58|XX)/;

/** Errors of PGlite's files have a number of WASI, and no message. */
const FILE_ERRORS: Readonly<Record<number, string>> = {
  2: 'EACCES: permission denied',
  19: 'EDQUOT: the disk quota is used up',
  29: 'EIO: the disk fails',
  33: 'EMFILE: too many open files',
  44: 'ENOENT: a file is missing',
  51: 'ENOSPC: the disk is full',
  63: 'EPERM: operation not permitted',
  69: 'EROFS: the file system is read-only',
};

export function reasonOf(error: unknown): string {
  const { message, code, errno } = error as { message?: string; code?: string; errno?: number };
  if (message || code) return (message || code)!;
  return errno === undefined ? 'no reason given' : (FILE_ERRORS[errno] ?? `file error ${errno}`);
}

/** Converts errors of the database driver. An error without an SQLSTATE counts as an outage. */
export function storeError(error: unknown): StatementError | StoreUnavailable {
  if (error instanceof StatementError || error instanceof StoreUnavailable) return error;
  const { code = '' } = error as { code?: string };
  const reason = reasonOf(error);
  const isLost = !/^[0-9A-Z]{5}$/.test(code) || LOST.test(code);
  if (isLost || NOT_NOW.test(code)) return new StoreUnavailable(`the store: ${reason}`, isLost);
  return new StatementError(reason, code);
}

export type Parameters = Readonly<Record<string, Value>>;

export interface Queries {
  /**
   * Runs a query of queries/*.sql by its name. In the result, a timestamptz is a Date, bytea is a Uint8Array, and jsonb is the parsed
   * value.
   */
  query<Found = Row>(name: string, parameters?: Parameters): Promise<Found[]>;
}

export interface CachedQueries extends Queries {
  readonly lookups: LookupCache;
}

export interface Transactions extends CachedQueries {
  /**
   * Runs `work` in a transaction. Commits if `work` resolves, otherwise rolls back. `work` must use only the queries
   * object that it receives, because the embedded store has no second connection.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

export interface Connection extends Queries {
  script(sql: string): Promise<void>;
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
}
