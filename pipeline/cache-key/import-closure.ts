/** The import closure of modules: everything that is loaded with them. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Reads a file of the program; a test reads one that differs. */
export type ReadFile = (path: string) => string;

export interface ImportClosure {
  /** Absolute paths of the entry modules and of all that they import, sorted. */
  readonly modules: readonly string[];
  /** Names of the packages that any of them imports, sorted; Node's own modules are none. */
  readonly packages: readonly string[];
}

/** A module beside the importing one: of an import, of a worker's URL. */
const RELATIVE = /['"](\.{1,2}\/[^'"\n]+\.js)['"]/g;
const BARE = /(?:\bfrom|\bimport|\bimport\()\s*['"](@?\w[\w./-]*|node:[\w/]+)['"]/g;

export function importClosure(entries: readonly string[], read: ReadFile): ImportClosure {
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

/** The file that an import names: a loader that runs the sources as they are finds `x.ts` for `x.js`. */
const sourceOf = (path: string) => (existsSync(path) ? path : path.replace(/\.js$/, '.ts'));

/** `@scope/name/module` → `@scope/name`. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
