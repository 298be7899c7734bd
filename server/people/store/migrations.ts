import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../pipeline/base/project.js';
import { type Connection, StoreUnavailable } from './session.js';

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
    const known = migrations.find((migration) => migration.number === number);
    if (!known)
      throw new StoreUnavailable(`the store was made by a newer version of this program: it has migration ${name}`);
    if (known.sha256 !== sha256) throw new StoreUnavailable(`the store was made from another migration ${name}`);
  }
}

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

const MIGRATIONS = join(projectRoot(), 'server/people/store/migrations');

function readMigrations(): Migration[] {
  const files = readdirSync(MIGRATIONS).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, i) => {
    const number = Number(/^(\d{3})-[a-z-]+\.sql$/.exec(file)?.[1]);
    if (number !== i + 1) throw new Error(`${file} must be migration number ${i + 1}`);
    const sql = readFileSync(join(MIGRATIONS, file), 'utf8');
    return { number, name: file.replace(/\.sql$/, ''), sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}
