import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { projectRoot } from '../project.js';

export type ReadFile = (path: string) => string;

const readText: ReadFile = (path) => readFileSync(path, 'utf8');

/**
 * Returns a hash of everything that cached rows are computed from. A changed program therefore computes them again. The
 * hash covers the modules with their imports, the SQL files and schemas that the modules name, the installed packages,
 * and `data`.
 * @param entries paths of the modules that compute the rows
 */
export function cacheKey(entries: readonly string[], data: unknown, read: ReadFile = readText): string {
  const { modules, packages } = importClosure(entries, read);
  const root = projectRoot();
  const hash = createHash('sha256').update(JSON.stringify(data));
  const files = [...modules, ...modules.flatMap((path) => namedFiles(read(path)))];
  for (const path of new Set(files)) hash.update(`\n${relative(root, path).split(sep).join('/')}\n`).update(read(path));
  for (const line of lockedPackages(packages, read(join(root, 'npm-shrinkwrap.json')))) hash.update(`\n${line}`);
  return hash.digest('hex').slice(0, 16);
}

function namedFiles(code: string): string[] {
  const root = projectRoot();
  const names = new Set([...code.matchAll(/['"`]([\w/-]+)['"`]/g)].map(([, name]) => name!));
  return [...names]
    .flatMap((name) => [join(root, 'pipeline', `${name}.sql`), join(root, 'schemas/tables', `${name}.json`)])
    .filter((path) => existsSync(path))
    .sort();
}

interface ImportClosure {
  /** Absolute paths in sorted order, including the entries. */
  readonly modules: readonly string[];
  readonly packages: readonly string[];
}

const RELATIVE = /['"](\.{1,2}\/[^'"\n]+\.js)['"]/g;
const BARE = /(?:\bfrom|\bimport|\bimport\()\s*['"](@?\w[\w./-]*|node:[\w/]+)['"]/g;

function importClosure(entries: readonly string[], read: ReadFile): ImportClosure {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (modules.has(path)) return;
    modules.add(path);
    const code = read(path);
    for (const [, name] of code.matchAll(BARE)) if (!name!.startsWith('node:')) packages.add(packageOf(name!));
    for (const [, name] of code.matchAll(RELATIVE)) visit(sourceOf(join(dirname(path), name!)));
  };
  entries.map(sourceOf).forEach(visit);
  return { modules: [...modules].sort(), packages: [...packages].sort() };
}

const sourceOf = (path: string) => (existsSync(path) ? path : path.replace(/\.js$/, '.ts'));

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

interface LockEntry {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** @param lockFile text of npm-shrinkwrap.json */
function lockedPackages(names: readonly string[], lockFile: string): string[] {
  const { packages } = JSON.parse(lockFile) as { packages: Readonly<Record<string, LockEntry>> };
  const found = new Map<string, string>();
  const visit = (place: string) => {
    if (found.has(place)) return;
    const entry = packages[place]!;
    found.set(place, `${place} ${entry.version} ${entry.integrity ?? ''}`);
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const inner = placeOf(name, place, packages);
      if (inner !== undefined) visit(inner); // an optional package may not be installed
    }
  };
  for (const name of names) {
    const place = placeOf(name, '', packages);
    if (place === undefined) throw new Error(`npm-shrinkwrap.json does not contain ${name}`);
    visit(place);
  }
  return [...found.values()].sort();
}

/** Finds a package in the same way as Node.js: in `from`, otherwise in the folders above it. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, LockEntry>>): string | undefined {
  for (let folder = from; ; ) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
    const cut = folder.lastIndexOf('/node_modules/');
    folder = cut < 0 ? '' : folder.slice(0, cut);
  }
}
