/**
 * The store is the database of user data, such as accounts, keys, decisions and submissions. It is a PostgreSQL server
 * if databaseUrl is set, otherwise PGlite. Both run the SQL in queries/*.sql.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DAY_MS } from '../../../pipeline/base/values/day.js';
import type { Config } from '../../../pipeline/config.js';
import { LIMITS } from '../../http/limits.js';
import { connectionOn, NamedQueries } from './connection.js';
import { embeddedExists, openEmbedded } from './embedded.js';
import { LookupCache } from './lookup-cache.js';
import { migrate } from './migrations.js';
import { Outage } from './outage.js';
import { openPostgres } from './postgres.js';
import {
  type Backend,
  type Connection,
  type Parameters,
  type Queries,
  type Row,
  StoreUnavailable,
  type Transactions,
} from './session.js';

export type { CachedQueries, Parameters, Queries, Transactions } from './session.js';

const OPENING_MS = 4000;

/** Accesses the store. The first query opens the database, so the server can serve public data without the database. */
export class Store implements Transactions {
  readonly lookups = new LookupCache();
  private readonly queries = new NamedQueries();
  private readonly outage: Outage;
  private opening: Promise<Backend> | undefined;

  constructor(
    private readonly options: Pick<Config, 'dataDir' | 'databaseUrl'>,
    log?: Logger,
  ) {
    this.outage = new Outage(log);
  }

  /** Returns false if the embedded database has not been created yet. */
  exists(): boolean {
    const { databaseUrl, dataDir } = this.options;
    return databaseUrl !== undefined || embeddedExists(dataDir);
  }

  async open(): Promise<void> {
    await this.backend();
  }

  /** Reclaims space in the embedded store. PostgreSQL reclaims space itself. */
  async vacuum(): Promise<void> {
    await this.outage.attempt(async () => (await this.backend()).vacuum());
  }

  query<Found = Row>(name: string, parameters: Parameters = {}): Promise<Found[]> {
    return this.onConnection((connection) => connection.query<Found>(name, parameters));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.onConnection((connection) => connection.transaction(() => work(connection)));
  }

  /** Runs `work` with a reserved connection, which locks of a database session need. */
  onConnection<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return this.outage.attempt(async () => {
      const session = await (await this.backend()).acquire();
      try {
        const result = await work(connectionOn(session, this.queries));
        session.release();
        return result;
      } catch (error) {
        // Closes the connection if the store is unavailable, because a new connection may reach a writable server.
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

const EVERY_MS = 60_000;
/** An account without data is deleted after this many days without use. */
const { unusedDays: UNUSED_DAYS } = LIMITS.accounts;

/** Queries that each delete one batch of rows. Several servers may run them at the same time. */
const CLEANUP_QUERIES = [
  'challenges/forget',
  'sessions/forget',
  'links/forget',
  'visits/forget',
  'idempotency/forget',
  'accounts/forget',
] as const;

/**
 * Deletes expired rows and reclaims their space. This is not done at each insert, because sign-ins would become slower
 * and slower.
 */
export async function deleteExpiredRows(store: Pick<Store, 'query' | 'vacuum'>, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - UNUSED_DAYS.max * DAY_MS);
  for (const query of CLEANUP_QUERIES) await store.query(query, { now, unusedSince });
  await store.vacuum();
}

export function scheduleCleanup(store: Store, now: () => Date, log: Logger): () => void {
  const tidy = () =>
    deleteExpiredRows(store, now()).catch((err) => log.debug({ err }, 'expired rows cannot be deleted'));
  const timer = setInterval(tidy, EVERY_MS).unref();
  return () => clearInterval(timer);
}
