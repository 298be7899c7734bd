/**
 * Cache keys of the rows that are kept between nights. A key follows imports: it is a hash of everything that decides the rows,
 * so that a program which would make others finds none, and makes them again.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from '../project.js';
import { importClosure, type ReadFile } from './import-closure.js';
import { lockedPackages } from './locked-packages.js';

const readText: ReadFile = (path) => readFileSync(path, 'utf8');

/**
 * The cache key of what a job makes: 16 hex digits over the modules that its entry modules import, the SQL files and table
 * schemas that these name, the locked versions of the packages that they import, and data.
 * @param entries paths of the job's own modules
 * @param data the job's input beside its blocks: reviewed data, the network id
 */
export function cacheKey(entries: readonly string[], data: unknown, read: ReadFile = readText): string {
  const { modules, packages } = importClosure(entries, read);
  const root = projectRoot();
  const hash = createHash('sha256').update(JSON.stringify(data));
  const files = [...modules, ...modules.flatMap((path) => namedFiles(read(path)))];
  for (const path of new Set(files)) hash.update(`\n${relative(root, path).split(sep).join('/')}\n`).update(read(path));
  for (const line of lockedPackages(packages, read(join(root, 'package-lock.json')))) hash.update(`\n${line}`);
  return hash.digest('hex').slice(0, 16);
}

/** The SQL files and table schemas that a module names in quotes, as readSql and readTable take them. */
export function namedFiles(code: string): string[] {
  const root = projectRoot();
  const names = new Set([...code.matchAll(/['"`]([\w/-]+)['"`]/g)].map(([, name]) => name!));
  return [...names]
    .flatMap((name) => [join(root, 'pipeline', `${name}.sql`), join(root, 'schemas/tables', `${name}.json`)])
    .filter((path) => existsSync(path))
    .sort();
}
