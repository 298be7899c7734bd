import { ConfigError } from '../../pipeline/config-error.js';

export type Value = string | number | boolean | Date | Uint8Array | readonly string[] | object | null;

export type Row = Readonly<Record<string, unknown>>;

/** A connection; its statements run in order. */
export interface Session {
  run(sql: string, values: readonly Value[]): Promise<Row[]>;
  script(sql: string): Promise<void>;
}

export interface ClosableSession extends Session {
  /** Also syncs all files. */
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

export interface Backend {
  /** Acquires a connection exclusively; a broken one is not reused. */
  acquire(): Promise<Session & { release(broken?: boolean): void }>;
  vacuum(): Promise<void>;
  close(): Promise<void>;
}

export class StatementError extends Error {
  /** five characters, for example 23505: duplicate key */
  constructor(
    message: string,
    readonly sqlState: string,
  ) {
    super(message);
  }
}

/** The store cannot be used now: operators fix it, callers retry. */
export class StoreUnavailable extends ConfigError {
  /** false if the database answers but refuses this statement for now */
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
 * Awaits an optional change, such as the time of a key’s last use. A read-only database skips it.
 * @returns whether the change was made
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

/** SQLSTATE classes and codes of an outage: lost connection, operator intervention, missing table. */
const LOST = /^(?:08|57|42P01)/;
/** Temporary: read-only, rolled back, out of resources, I/O error. */
const NOT_NOW = /^(?:25006|40|53|55|58|XX)/;

/** Converts a driver error. An error with an SQLSTATE comes from the database; other errors mean an outage. */
export function storeError(error: unknown): StatementError | StoreUnavailable {
  if (error instanceof StatementError || error instanceof StoreUnavailable) return error;
  const { message, code = '' } = error as { message?: string; code?: string };
  const reason = message || code || 'no reason given';
  const isLost = !/^[0-9A-Z]{5}$/.test(code) || LOST.test(code);
  if (isLost || NOT_NOW.test(code)) return new StoreUnavailable(`the store: ${reason}`, isLost);
  return new StatementError(reason, code);
}

export function throwStoreError(error: unknown): never {
  throw storeError(error);
}
