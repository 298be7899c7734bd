/** The store in a PostgreSQL server, reached by a pool of connections. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Backend, StoreUnavailable } from './session.js';

/** Connections of one process at the most. */
const CONNECTIONS_MAX = 10;
const CONNECT_MS = 3000;
/** Time that the server has for a statement, and after which this program gives up waiting: the server may be frozen. */
const STATEMENT_MS = 3000;
/** Time that the server has to end connections. */
const CLOSE_MS = 2000;
/** Time of silence after which a connection is probed. */
const KEEP_ALIVE_MS = 10_000;

/** Makes a pool, which connects with the first statement. */
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
  // The pool replaces a connection that breaks while nobody uses it; without a listener the event would end the process.
  pool.on('error', () => undefined);
  return {
    async acquire() {
      const client = await pool.connect().catch(refuse);
      const ignore = () => undefined;
      client.on('error', ignore); // the statement under way is rejected as well
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

/** Says that nobody can connect, whatever the reason: another password is a matter for the operator, too. */
function refuse({ message, code }: Error & { readonly code?: string }): never {
  throw new StoreUnavailable(`the store: ${message || code}`, code !== TOO_MANY_CONNECTIONS);
}
