import type { LookupCache } from './lookup-cache.js';
import { isLost, type Row, type Session, throwStoreError, type Value } from './session.js';
import type { NamedQueries } from './sql.js';

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
