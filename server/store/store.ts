/**
 * The store: a database of what people gave, such as accounts, keys, decisions, submissions. It speaks one dialect to two: PostgreSQL by
 * URL, or PGlite, which is PostgreSQL too, embedded under the data directory. Queries lie in queries/*.sql and are called by their names.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { type Connection, connectionOn, type Parameters, type Queries, type Transactions } from './connection.js';
import { isEmbeddedMade, openEmbedded } from './embedded.js';
import { LookupCache } from './lookup-cache.js';
import { migrate } from './migrate.js';
import { Outage } from './outage.js';
import { openPostgres } from './postgres.js';
import { type Backend, type Row, StoreUnavailable } from './session.js';
import { NamedQueries } from './sql.js';

export type { CachedQueries, Parameters, Queries, Transactions } from './connection.js';

/** Time that closing waits for a database that is still being opened. */
const OPENING_MS = 4000;

/** The store opens with its first query: a server that only serves public data need not wait for it. */
export class Store implements Transactions {
  readonly lookups = new LookupCache();
  private readonly queries = new NamedQueries();
  private readonly outage: Outage;
  private opening: Promise<Backend> | undefined;

  /** @param log hears when the store is lost and when it is back */
  constructor(
    private readonly options: Pick<Config, 'dataDir' | 'databaseUrl'>,
    log?: Logger,
  ) {
    this.outage = new Outage(log);
  }

  /** Whether there may be rows: an embedded database that nobody has made yet has none. */
  isMade(): boolean {
    const { databaseUrl, dataDir } = this.options;
    return databaseUrl !== undefined || isEmbeddedMade(dataDir);
  }

  /** Opens the database, or waits for that. @throws StoreUnavailable: the next call tries again */
  async open(): Promise<void> {
    await this.backend();
  }

  /** Gives the room of deleted rows free, where the database does not do so by itself. */
  async vacuum(): Promise<void> {
    await this.outage.attempt(async () => (await this.backend()).vacuum());
  }

  query<Found = Row>(name: string, parameters: Parameters = {}): Promise<Found[]> {
    return this.onConnection((connection) => connection.query<Found>(name, parameters));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.onConnection((connection) => connection.transaction(() => work(connection)));
  }

  /** Runs the work on one connection, which is the work's own meanwhile: for locks that end with their connection. */
  onConnection<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.outage.attempt(async () => {
      const session = await (await this.backend()).acquire();
      try {
        const result = await work(connectionOn(session, this.queries));
        session.release();
        return result;
      } catch (error) {
        // Another connection may lead to a database that can do it: one that may write, say.
        session.release(error instanceof StoreUnavailable);
        throw error;
      }
    });
  }

  /** Closes the database; one that does not answer is left to itself after a while. */
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
