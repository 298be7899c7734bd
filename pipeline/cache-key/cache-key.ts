import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from '../project.js';
import { importClosure, type ReadFile } from './import-closure.js';
import { lockedPackages } from './locked-packages.js';

const readText: ReadFile = (path) => readFileSync(path, 'utf8');

/**
 * Hashes the code and data that produce cached rows, so a changed program recomputes them. Covers imported modules, the
 * SQL files and schemas that they name, locked packages, and `data`.
 * @param entries paths of the job's modules
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

/** Finds SQL files and table schemas by their quoted names. */
export function namedFiles(code: string): string[] {
  const root = projectRoot();
  const names = new Set([...code.matchAll(/['"`]([\w/-]+)['"`]/g)].map(([, name]) => name!));
  return [...names]
    .flatMap((name) => [join(root, 'pipeline', `${name}.sql`), join(root, 'schemas/tables', `${name}.json`)])
    .filter((path) => existsSync(path))
    .sort();
}
