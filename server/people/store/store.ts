/**
 * The store is the database of user data, such as accounts, keys, decisions and submissions. It is a PostgreSQL server
 * if databaseUrl is set, otherwise PGlite. Both run the SQL in queries/*.sql.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { projectRoot } from '../../../pipeline/base/project.js';
import { DAY_MS } from '../../../pipeline/base/values/day.js';
import type { Config } from '../../../pipeline/config.js';
import { LIMITS } from '../../http/limits.js';
import { embeddedExists, openEmbedded } from './embedded.js';
import { LookupCache } from './lookup-cache.js';
import { openPostgres } from './postgres.js';
import {
  type Backend,
  type Connection,
  isLost,
  type Parameters,
  type Queries,
  type Row,
  type Session,
  StoreUnavailable,
  storeError,
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

function throwStoreError(error: unknown): never {
  throw storeError(error);
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
        // If the connection was lost, PostgreSQL has already rolled back the transaction.
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

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
}

/** Applies missing migrations, each in its own transaction. A lock allows several servers to start at the same time. */
export async function migrate(connection: Connection, migrations = readMigrations()): Promise<void> {
  await locked(connection, () => connection.query('migrations/prepare'));
  for (const migration of migrations) {
    await locked(connection, async () => {
      const applied = await connection.query<Applied>('migrations/applied');
      requireKnown(applied, migrations);
      const { number, name, sha256, sql } = migration;
      if (applied.some((other) => other.number === number)) return;
      await connection.script(sql);
      await connection.query('migrations/record', { number, name, sha256 });
    });
  }
}

const locked = (connection: Connection, work: () => Promise<unknown>) =>
  connection.transaction(async () => {
    await connection.query('migrations/lock');
    await work();
  });

function requireKnown(applied: readonly Applied[], migrations: readonly Applied[]): void {
  for (const { number, name, sha256 } of applied) {
    const own = migrations.find((migration) => migration.number === number);
    if (!own)
      throw new StoreUnavailable(`the store was made by a newer version of this program: it has migration ${name}`);
    if (own.sha256 !== sha256) throw new StoreUnavailable(`the store was made from another migration ${name}`);
  }
}

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

const MIGRATIONS = join(projectRoot(), 'server/people/store/migrations');

export function readMigrations(): Migration[] {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, i) => {
    const number = Number(/^(\d{3})-[a-z-]+\.sql$/.exec(file)?.[1]);
    if (number !== i + 1) throw new Error(`${file} must be migration number ${i + 1}`);
    const sql = readFileSync(join(MIGRATIONS, file), 'utf8');
    return { number, name: file.replace(/\.sql$/, ''), sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}

const RETRY_MS = 1000;
/** Minimum time between two log lines about rejected statements. */
const REFUSAL_LOG_MS = 60_000;

/**
 * Logs the start and the end of an outage. During an outage, one query per second tests the store, and all other
 * queries fail immediately.
 */
export class Outage {
  private failure: StoreUnavailable | undefined;
  private retryAt = 0;
  private isProbing = false;
  private nextRefusalLogAt = 0;

  /** @param log undefined in commands, which exit with the error instead of logging it */
  constructor(private readonly log: Pick<Logger, 'error' | 'info'> | undefined) {}

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
