/** Runs the queries of queries/*.sql by name on a session of the database. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../pipeline/base/project.js';
import { type Connection, isLost, type Parameters, type Session, storeError } from './session.js';

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

function queryOf(text: string): Query {
  const names: string[] = [];
  const sql = text.replace(/\$([a-z]\w*)/g, (_, parameter) => {
    if (!names.includes(parameter)) names.push(parameter);
    return `$${names.indexOf(parameter) + 1}`;
  });
  return { sql, names };
}

/** The queries of queries/*.sql. `sessions/find` is the query after the line `-- name: find` in sessions.sql. */
export class NamedQueries {
  private readonly read = new Map<string, Query>();

  get(name: string): Query {
    const [subject] = name.split('/');
    if (!this.read.has(name)) this.readFile(subject!);
    const query = this.read.get(name);
    if (!query) throw new Error(`${subject}.sql has no query ${name}`);
    return query;
  }

  private readFile(subject: string): void {
    const text = readFileSync(join(projectRoot(), 'server/people/store/queries', `${subject}.sql`), 'utf8');
    for (const part of text.split(/^-- name: /m).slice(1)) {
      const [, query, sql] = /^(\S+)\n([\s\S]*)$/.exec(part)!;
      this.read.set(`${subject}/${query}`, queryOf(sql!));
    }
  }
}
