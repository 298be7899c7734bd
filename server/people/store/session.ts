import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { projectRoot } from '../../../pipeline/base/project.js';
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
  /** Reserves a connection for the caller. `release(true)` closes it. */
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

/** Thrown for outages and temporary refusals. */
export class StoreUnavailable extends ConfigError {
  /** @param isLost false if the database responds but refuses this statement for now */
  constructor(
    message: string,
    readonly isLost = true,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const isLost = (error: unknown): boolean => error instanceof StoreUnavailable && error.isLost;

/** Awaits an optional change, such as storing when a key was last used. @returns false if the database refuses */
export async function skipIfReadOnly(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof StoreUnavailable && !error.isLost) return false;
    throw error;
  }
}

/** SQLSTATE prefixes of an outage: 08 lost connection, 57 operator intervention, 42P01 missing table. */
const LOST = /^(?:08|57|42P01)/;
/** SQLSTATE prefixes of temporary refusals: read-only, rollback, lack of resources, I/O or internal error. */
const NOT_NOW = /^(?:25006|40|53|55|58|XX)/;

/** Converts errors of the database driver. An error without an SQLSTATE counts as an outage. */
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
  /** Runs queries/<name>.sql. A timestamptz column becomes a Date, bytea a Uint8Array, and jsonb the parsed value. */
  query<Found = Row>(name: string, parameters?: Parameters): Promise<Found[]>;
}

export interface CachedQueries extends Queries {
  readonly lookups: LookupCache;
}

export interface Transactions extends CachedQueries {
  /**
   * Commits if `work` resolves, otherwise rolls back. `work` must use the queries object that it receives, because the
   * embedded store has no second connection.
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
        // If the connection was lost, the database has already rolled back.
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
  const sql = readFileSync(join(projectRoot(), 'server/people/store/queries', `${name}.sql`), 'utf8').replace(
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
