/** Named queries and transactions on one connection of either database. */
import type { LookupCache } from './lookup-cache.js';
import { isLost, type Row, type Session, throwStoreError, type Value } from './session.js';
import type { NamedQueries } from './sql.js';

export type Parameters = Readonly<Record<string, Value>>;

export interface Queries {
  /**
   * Runs queries/<name>.sql with the parameters that it names ($name).
   * @returns its rows: integer → number, timestamptz → Date, bytea → bytes, jsonb → what it holds
   * @throws StatementError when the database refuses it, StoreUnavailable when there is none
   */
  query<Found = Row>(name: string, parameters?: Parameters): Promise<Found[]>;
}

/** Queries with the lookup cache of the rows that lately came of some of them. */
export interface CachedQueries extends Queries {
  readonly lookups: LookupCache;
}

/** Queries, and transactions of them. */
export interface Transactions extends CachedQueries {
  /**
   * Runs the work in one transaction: it is committed when the work resolves, else rolled back. The work must ask the queries that it
   * is given, not the store, which may have no further connection.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>;
}

/** Queries on one connection. */
export interface Connection extends Queries {
  script(sql: string): Promise<void>;
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Makes a connection of the store out of a session of the database. */
export function connectionOn(session: Session, queries: NamedQueries): Connection {
  const script = (sql: string) => session.script(sql).catch(throwStoreError);
  return {
    async query<Found>(name: string, parameters: Parameters = {}) {
      const { sql, names } = queries.get(name);
      const values = names.map((parameter) => {
        const value = parameters[parameter];
        if (value === undefined) throw new Error(`the query ${name} names $${parameter}, which was not given`);
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
        // A connection that is lost has rolled back already.
        if (!isLost(error)) await script('rollback');
        throw error;
      }
    },
  };
}
