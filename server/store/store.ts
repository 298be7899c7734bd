/**
 * The store: a database of user data such as accounts, keys, decisions and submissions. Both backends speak
 * PostgreSQL’s SQL: a server by URL, or PGlite embedded under the data directory. Queries are in queries/*.sql.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { type Connection, connectionOn, type Parameters, type Queries, type Transactions } from './connection.js';
import { embeddedExists, openEmbedded } from './embedded.js';
import { LookupCache } from './lookup-cache.js';
import { migrate } from './migrate.js';
import { Outage } from './outage.js';
import { openPostgres } from './postgres.js';
import { type Backend, type Row, StoreUnavailable } from './session.js';
import { NamedQueries } from './sql.js';

export type { CachedQueries, Parameters, Queries, Transactions } from './connection.js';

/** Time that closing waits for a database that is still opening. */
const OPENING_MS = 4000;

/** Opens with the first query: a server of public data need not wait for it. */
export class Store implements Transactions {
  readonly lookups = new LookupCache();
  private readonly queries = new NamedQueries();
  private readonly outage: Outage;
  private opening: Promise<Backend> | undefined;

  /** logs the begin and end of an outage */
  constructor(
    private readonly options: Pick<Config, 'dataDir' | 'databaseUrl'>,
    log?: Logger,
  ) {
    this.outage = new Outage(log);
  }

  /** Returns false only if the embedded database does not exist yet. */
  exists(): boolean {
    const { databaseUrl, dataDir } = this.options;
    return databaseUrl !== undefined || embeddedExists(dataDir);
  }

  /** Opens the database; after a failure the next call retries. @throws StoreUnavailable */
  async open(): Promise<void> {
    await this.backend();
  }

  /** Does nothing on PostgreSQL, which reclaims space itself. */
  async vacuum(): Promise<void> {
    await this.outage.attempt(async () => (await this.backend()).vacuum());
  }

  query<Found = Row>(name: string, parameters: Parameters = {}): Promise<Found[]> {
    return this.onConnection((connection) => connection.query<Found>(name, parameters));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.onConnection((connection) => connection.transaction(() => work(connection)));
  }

  /** Runs the work on an exclusive connection; session-level locks need one. */
  onConnection<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.outage.attempt(async () => {
      const session = await (await this.backend()).acquire();
      try {
        const result = await work(connectionOn(session, this.queries));
        session.release();
        return result;
      } catch (error) {
        // Drop the connection: a new one may reach a writable server.
        session.release(error instanceof StoreUnavailable);
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    const { opening } = this;
    this.opening = undefined;
    const opened = opening?.catch(() => undefined);
    const backend = await Promise.race([opened, wait(OPENING_MS, undefined, { ref: false })]);
    await backend?.close();
  }

  private backend(): Promise<Backend> {
    this.opening ??= this.begin();
    return this.opening;
  }

  protected async begin(): Promise<Backend> {
    const { databaseUrl, dataDir } = this.options;
    const forget = () => {
      this.opening = undefined;
    };
    try {
      const backend = databaseUrl ? openPostgres(databaseUrl) : await openEmbedded(dataDir, forget);
      try {
        const session = await backend.acquire();
        await migrate(connectionOn(session, this.queries)).finally(() => session.release());
      } catch (error) {
        await backend.close();
        throw error;
      }
      return backend;
    } catch (error) {
      forget();
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(`the store: ${(error as Error).message}`);
    }
  }
}
