/**
 * What people gave us: accounts, keys, decisions, submissions. One dialect, two databases: PostgreSQL by URL, or PGlite, which is
 * PostgreSQL too, embedded under the data directory. Queries lie in queries/*.sql and are called by their names.
 */
import type { Config } from '../../pipeline/config.js';
import { openEmbedded } from './embedded.js';
import { migrate } from './migrate.js';
import { openPostgres } from './postgres.js';
import { type Backend, type Row, type Session, StoreUnavailable, storeError, type Value } from './session.js';
import { readQuery } from './sql.js';

export type Parameters = Readonly<Record<string, Value>>;

export interface Queries {
  /**
   * Runs queries/<name>.sql with the parameters that it names ($name).
   * @returns its rows: integer → number, timestamptz → Date, bytea → bytes, jsonb → what it holds
   * @throws StatementError when the database refuses it, StoreUnavailable when there is none
   */
  query<Found = Row>(name: string, parameters?: Parameters): Promise<Found[]>;
}

/** Queries, and transactions of them. */
export interface Transactions extends Queries {
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

/** Opens with its first query: a server that only serves public data need not wait for it. */
export class Store implements Transactions {
  private opening: Promise<Backend> | undefined;

  constructor(private readonly options: Pick<Config, 'dataDir' | 'databaseUrl'>) {}

  /** @throws StoreUnavailable, ConfigError: the next call tries again */
  async open(): Promise<void> {
    await this.backend();
  }

  query<Found = Row>(name: string, parameters: Parameters = {}): Promise<Found[]> {
    return this.connected((connection) => connection.query<Found>(name, parameters));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.connected((connection) => connection.transaction(() => work(connection)));
  }

  async close(): Promise<void> {
    const backend = await this.opening?.catch(() => undefined);
    this.opening = undefined;
    await backend?.close();
  }

  private async connected<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const session = await (await this.backend()).acquire();
    try {
      const result = await work(connectionOn(session));
      session.release();
      return result;
    } catch (error) {
      session.release(error instanceof StoreUnavailable);
      throw error;
    }
  }

  private backend(): Promise<Backend> {
    const opening = this.opening ?? this.begin();
    this.opening = opening;
    return opening;
  }

  private async begin(): Promise<Backend> {
    const { databaseUrl, dataDir } = this.options;
    const forget = () => {
      this.opening = undefined;
    };
    try {
      const backend = databaseUrl ? openPostgres(databaseUrl) : await openEmbedded(dataDir, forget);
      try {
        const session = await backend.acquire();
        await migrate(connectionOn(session)).finally(() => session.release());
      } catch (error) {
        await backend.close();
        throw error;
      }
      return backend;
    } catch (error) {
      forget();
      throw error;
    }
  }
}

function connectionOn(session: Session): Connection {
  const script = (sql: string) =>
    session.script(sql).catch((error) => {
      throw storeError(error);
    });
  return {
    async query<Found>(name: string, parameters: Parameters = {}) {
      const { sql, names } = readQuery(name);
      const values = names.map((parameter) => {
        const value = parameters[parameter];
        if (value === undefined) throw new Error(`the query ${name} names $${parameter}, which was not given`);
        return value;
      });
      const rows = await session.run(sql, values).catch((error) => {
        throw storeError(error);
      });
      return rows as Found[];
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
        if (!(error instanceof StoreUnavailable)) await script('rollback');
        throw error;
      }
    },
  };
}
