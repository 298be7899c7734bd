import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../pipeline/config-error.js';
import { projectRoot } from '../../pipeline/project.js';
import type { LookupCache } from './lookup-cache.js';

export type Value = string | number | boolean | Date | Uint8Array | readonly string[] | object | null;

export type Row = Readonly<Record<string, unknown>>;

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
  /** Five characters, for example 23505: duplicate key. */
  constructor(
    message: string,
    readonly sqlState: string,
  ) {
    super(message);
  }
}

/** The store cannot be used now: operators fix it, callers retry. */
export class StoreUnavailable extends ConfigError {
  /** False if the database answers but refuses this statement for now. */
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
export async function skipIfReadOnly(change: Promise<unknown>): Promise<boolean> {
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

function throwStoreError(error: unknown): never {
  throw storeError(error);
}

export type Parameters = Readonly<Record<string, Value>>;

export interface Queries {
  /**
   * Runs queries/<name>.sql. Column types: integer → number, timestamptz → Date, bytea → Uint8Array, jsonb → value.
   * @throws StatementError, StoreUnavailable
   */
  query<Found = Row>(name: string, parameters?: Parameters): Promise<Found[]>;
}

export interface CachedQueries extends Queries {
  readonly lookups: LookupCache;
}

export interface Transactions extends CachedQueries {
  /**
   * Commits when the work resolves, else rolls back. The work must use the given queries: the store may have no
   * second connection.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

export interface Connection extends Queries {
  script(sql: string): Promise<void>;
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function connectionOn(session: Session, queries: NamedQueries): Connection {
  const script = (sql: string) => session.script(sql).catch(throwStoreError);
  return {
    async query<Found>(name: string, parameters: Parameters = {}) {
      const { sql, names } = queries.get(name);
      const values = names.map((parameter) => {
        const value = parameters[parameter];
        if (value === undefined) throw new Error(`the query ${name} names $${parameter}, which has no value`);
        return value;
      });
      return (await session.run(sql, values).catch(throwStoreError)) as Found[];
    },
    script,
    async transaction(work) {
      await script('begin');
      try {
        const result = await work();
        await script('commit');
        return result;
      } catch (error) {
        // A lost connection has already rolled back.
        if (!isLost(error)) await script('rollback');
        throw error;
      }
    },
  };
}

interface Query {
  readonly sql: string;
  readonly names: readonly string[];
}

function readQuery(name: string): Query {
  const names: string[] = [];
  const sql = readFileSync(join(projectRoot(), 'server/store/queries', `${name}.sql`), 'utf8').replace(
    /\$([a-z]\w*)/g,
    (_, parameter) => {
      if (!names.includes(parameter)) names.push(parameter);
      return `$${names.indexOf(parameter) + 1}`;
    },
  );
  return { sql, names };
}

export class NamedQueries {
  private readonly read = new Map<string, Query>();

  get(name: string): Query {
    const query = this.read.get(name) ?? readQuery(name);
    this.read.set(name, query);
    return query;
  }
}
