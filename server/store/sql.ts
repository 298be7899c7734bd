/** SQL files: queries/<name>.sql (one statement with named parameters) and migrations/NNN-<name>.sql. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/project.js';

const folder = join(projectRoot(), 'server/store');

export interface Query {
  /** The statement with $1, $2 … instead of names. */
  readonly sql: string;
  /** Parameter names: $1 is the first. */
  readonly names: readonly string[];
}

function readQuery(name: string): Query {
  const names: string[] = [];
  const sql = readFileSync(join(folder, `queries/${name}.sql`), 'utf8').replace(/\$([a-z]\w*)/g, (_, parameter) => {
    if (!names.includes(parameter)) names.push(parameter);
    return `$${names.indexOf(parameter) + 1}`;
  });
  return { sql, names };
}

/** Caches queries after the first read. */
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
  readonly name: string;
  readonly sql: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Reads all migrations; their numbers are 1, 2, 3 … */
export function readMigrations(): Migration[] {
  const files = readdirSync(join(folder, 'migrations')).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, i) => {
    const number = Number(/^(\d{3})-[a-z-]+\.sql$/.exec(file)?.[1]);
    if (number !== i + 1) throw new Error(`${file} must be migration number ${i + 1}`);
    const sql = readFileSync(join(folder, 'migrations', file), 'utf8');
    return { number, name: file.replace(/\.sql$/, ''), sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}
