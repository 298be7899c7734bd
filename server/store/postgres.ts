/** A PostgreSQL server, by a pool of connections. */
import pg from 'pg';
import { type Backend, storeError } from './session.js';

/** Connections of one process. */
const CONNECTIONS = 10;
const CONNECT_MS = 3000;
const STATEMENT_MS = 10_000;

/** Connects with the first statement. */
export function openPostgres(connectionString: string): Backend {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'hubledger',
  });
  // A connection that breaks while nobody uses it is replaced by the pool; the event would end the process else.
  pool.on('error', () => undefined);
  return {
    async acquire() {
      const client = await pool.connect().catch((error) => {
        throw storeError(error);
      });
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
    close: () => pool.end(),
  };
}
