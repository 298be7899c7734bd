import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { projectRoot } from '../project.js';

export type ReadFile = (path: string) => string;

/** Returns a function that calls `make` once for each text. */
function once<Made>(make: (text: string) => Made): (text: string) => Made {
  const made = new Map<string, Made>();
  return (text) => {
    if (!made.has(text)) made.set(text, make(text));
    return made.get(text)!;
  };
}

interface Program {
  readonly read: ReadFile;
  readonly moduleAt: (path: string) => Module;
  readonly packagesIn: (lockFile: string) => Packages;
}

function programOf(readFile: ReadFile): Program {
  const read = once(readFile);
  return { read, moduleAt: once((path) => moduleFrom(read(path), path)), packagesIn: once(packagesFrom) };
}

/** The program on disk is read once, because it does not change while it runs and a nightly run computes many keys. */
const onDisk = programOf((path) => readFileSync(path, 'utf8'));

/**
 * Returns a hash of everything that cached rows are computed from. A changed program therefore computes them again. The
 * hash covers the modules with their imports, the SQL files and schemas that the modules name, the installed packages,
 * and `data`.
 * @param entries paths of the modules that compute the rows
 */
export function cacheKey(entries: readonly string[], data: unknown, readFile?: ReadFile): string {
  const { read, moduleAt, packagesIn } = readFile ? programOf(readFile) : onDisk;
  const { modules, packages } = importClosure(entries, moduleAt);
  const root = projectRoot();
  const hash = createHash('sha256').update(JSON.stringify(data));
  const files = [...modules, ...modules.flatMap((path) => moduleAt(path).namedFiles)];
  for (const path of new Set(files)) hash.update(`\n${relative(root, path).split(sep).join('/')}\n`).update(read(path));
  const lockFile = packagesIn(read(join(root, 'npm-shrinkwrap.json')));
  for (const line of lockedPackages(packages, lockFile)) hash.update(`\n${line}`);
  return hash.digest('hex').slice(0, 16);
}

/** What a module's code names. */
interface Module {
  readonly namedFiles: readonly string[];
  /** Absolute paths of imported modules. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

function moduleFrom(code: string, path: string): Module {
  const bare = [...code.matchAll(BARE)].map(([, name]) => name!).filter((name) => !name.startsWith('node:'));
  const imports = [...code.matchAll(RELATIVE)].map(([, name]) => sourceOf(join(dirname(path), name!)));
  return { namedFiles: namedFiles(code), imports, packages: bare.map(packageOf) };
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
const BARE = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*['"](@?\w[\w./-]*|node:[\w/]+)['"]/g;

function importClosure(entries: readonly string[], moduleAt: Program['moduleAt']): ImportClosure {
  const modules = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (modules.has(path)) return;
    modules.add(path);
    const module = moduleAt(path);
    for (const name of module.packages) packages.add(name);
    module.imports.forEach(visit);
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

type Packages = Readonly<Record<string, LockEntry>>;

/** @param lockFile text of npm-shrinkwrap.json */
function packagesFrom(lockFile: string): Packages {
  return JSON.parse(lockFile).packages;
}

function lockedPackages(names: readonly string[], packages: Packages): string[] {
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
function placeOf(name: string, from: string, packages: Packages): string | undefined {
  for (let folder = from; ; ) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
    const cut = folder.lastIndexOf('/node_modules/');
    folder = cut < 0 ? '' : folder.slice(0, cut);
  }
}
