/** The SQL of the store, by name: queries/<name>.sql, one statement with named parameters each, and migrations/NNN-<name>.sql. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/project.js';

const folder = join(projectRoot(), 'server/store');

export interface Query {
  /** The statement with $1, $2 … in place of names. */
  readonly sql: string;
  /** The names in the order of their numbers. */
  readonly names: readonly string[];
}

/** Reads a named query: 'keys/find' → queries/keys/find.sql. */
function readQuery(name: string): Query {
  const names: string[] = [];
  const sql = readFileSync(join(folder, `queries/${name}.sql`), 'utf8').replace(/\$([a-z]\w*)/g, (_, parameter) => {
    if (!names.includes(parameter)) names.push(parameter);
    return `$${names.indexOf(parameter) + 1}`;
  });
  return { sql, names };
}

/** The named queries of a store, each read from its file once. */
export class NamedQueries {
  private readonly read = new Map<string, Query>();

  get(name: string): Query {
    const query = this.read.get(name) ?? readQuery(name);
    this.read.set(name, query);
    return query;
  }
}

export interface Migration {
  readonly number: number;
  /** File name without its ending. */
  readonly name: string;
  readonly sql: string;
  /** Hash of the statement's text, in hexadecimal digits. */
  readonly sha256: string;
}

/** All migrations in the order of their numbers, which count from 1 without a gap. */
export function readMigrations(): Migration[] {
  const files = readdirSync(join(folder, 'migrations')).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, i) => {
    const number = Number(/^(\d{3})-[a-z-]+\.sql$/.exec(file)?.[1]);
    if (number !== i + 1) throw new Error(`${file} is no migration number ${i + 1}`);
    const sql = readFileSync(join(folder, 'migrations', file), 'utf8');
    return { number, name: file.replace(/\.sql$/, ''), sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}
