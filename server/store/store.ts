/**
 * The store: a database of user data such as accounts, keys, decisions and submissions. Both backends speak
 * PostgreSQL’s SQL: a server by URL, or PGlite embedded under the data directory. Queries are in queries/*.sql.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../pipeline/config.js';
import { DAY_MS } from '../../pipeline/ledger/day.js';
import { LIMITS } from '../limits.js';
import { embeddedExists, openEmbedded } from './embedded.js';
import { LookupCache } from './lookup-cache.js';
import { migrate } from './migrate.js';
import { openPostgres } from './postgres.js';
import {
  type Backend,
  type Connection,
  connectionOn,
  NamedQueries,
  type Parameters,
  type Queries,
  type Row,
  StoreUnavailable,
  type Transactions,
} from './session.js';

export type { CachedQueries, Parameters, Queries, Transactions } from './session.js';

/** Time that closing waits for a database that is still opening. */
const OPENING_MS = 4000;

/** Opens with the first query: a server of public data need not wait for it. */
export class Store implements Transactions {
  readonly lookups = new LookupCache();
  private readonly queries = new NamedQueries();
  private readonly outage: Outage;
  private opening: Promise<Backend> | undefined;

  /** Logs the start and the end of an outage. */
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

const RETRY_MS = 1000;
/** Pause between log lines about refused statements. */
const REFUSAL_LOG_MS = 60_000;

/**
 * Logs the start and the end of an outage. During an outage one caller per second probes the store; all other callers
 * are refused at once.
 */
export class Outage {
  private failure: StoreUnavailable | undefined;
  private retryAt = 0;
  private isProbing = false;
  private nextRefusalLogAt = 0;

  /** Undefined for commands, which end with the error. */
  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | undefined) {}

  /** @throws StoreUnavailable during an outage */
  async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const { failure } = this;
    if (failure && (this.isProbing || performance.now() < this.retryAt)) throw new StoreUnavailable(failure.message);
    this.isProbing = failure !== undefined;
    try {
      const result = await work();
      this.end();
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable && error.isLost) this.begin(error);
      else this.end();
      if (error instanceof StoreUnavailable && !error.isLost) this.logRefusal(error);
      throw error;
    }
  }

  private logRefusal({ message }: StoreUnavailable): void {
    if (performance.now() < this.nextRefusalLogAt) return;
    this.log?.error({ reason: message }, 'the store refused a statement');
    this.nextRefusalLogAt = performance.now() + REFUSAL_LOG_MS;
  }

  private begin(error: StoreUnavailable): void {
    if (!this.failure)
      this.log?.error({ reason: error.message }, 'the store is unavailable: sign-in and keys do not work');
    this.failure = error;
    this.retryAt = performance.now() + RETRY_MS;
    this.isProbing = false;
  }

  private end(): void {
    if (this.failure) this.log?.info('the store is available again');
    this.failure = undefined;
    this.isProbing = false;
  }
}

const EVERY_MS = 60_000;
/** Days after which an unused account without data is deleted. */
const { unusedDays: UNUSED_DAYS } = LIMITS.accounts;

/** Each deletes one batch, and is safe to run on several servers. */
const CLEANUP_QUERIES = [
  'challenges/forget',
  'sessions/forget',
  'links/forget',
  'visits/forget',
  'idempotency/forget',
  'accounts/forget',
] as const;

/** Deletes expired rows. Deleting with each insert made every sign-in slower than the one before. */
export async function deleteExpiredRows(store: Pick<Store, 'query' | 'vacuum'>, now: Date): Promise<void> {
  const unusedSince = new Date(now.getTime() - UNUSED_DAYS.max * DAY_MS);
  for (const query of CLEANUP_QUERIES) await store.query(query, { now, unusedSince });
  await store.vacuum();
}

/** Deletes expired rows once a minute. @returns a function that stops it */
export function scheduleCleanup(store: Store, now: () => Date, log: Logger): () => void {
  const tidy = () =>
    deleteExpiredRows(store, now()).catch((err) => log.debug({ err }, 'expired rows cannot be deleted'));
  const timer = setInterval(tidy, EVERY_MS).unref();
  return () => clearInterval(timer);
}
