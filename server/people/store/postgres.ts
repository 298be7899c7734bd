import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Backend, StoreUnavailable } from './session.js';

const CONNECTIONS_MAX = 10;
const CONNECT_MS = 3000;
/** Timeout of a statement. PostgreSQL enforces the timeout. This process enforces it too, in case PostgreSQL hangs. */
const STATEMENT_MS = 3000;
const CLOSE_MS = 2000;
const KEEP_ALIVE_MS = 10_000;

export function openPostgres(connectionString: string): Backend {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'hubledger',
  });
  // The pool itself replaces broken idle connections. Without this listener, their errors would end the process.
  pool.on('error', () => undefined);
  return {
    async acquire() {
      const client = await pool.connect().catch(refuse);
      const ignore = () => undefined;
      client.on('error', ignore); // ignored, because the running statement rejects with the same error
      return {
        run: async (sql, values) => (await client.query(sql, [...values])).rows,
        async script(sql) {
          await client.query(sql);
        },
        release(broken) {
          client.off('error', ignore);
          client.release(broken);
        },
      };
    },
    vacuum: async () => {},
    async close() {
      await Promise.race([pool.end(), wait(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

const TOO_MANY_CONNECTIONS = '53300';

/**
 * Treats connection errors as an outage. The error "too many connections" is not an outage, because the operator must
 * fix its cause.
 */
function refuse({ message, code }: Error & { readonly code?: string }): never {
  throw new StoreUnavailable(`the store: ${message || code}`, code !== TOO_MANY_CONNECTIONS);
}
