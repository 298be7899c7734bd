/** All modules and packages that given modules load. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Replaceable in tests. */
export type ReadFile = (path: string) => string;

export interface ImportClosure {
  /** Absolute paths, sorted, including the entries. */
  readonly modules: readonly string[];
  /** Sorted, without Node built-ins. */
  readonly packages: readonly string[];
}

/** A relative import or worker URL. */
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

/** Maps `x.js` to `x.ts` if the TypeScript sources run directly. */
const sourceOf = (path: string) => (existsSync(path) ? path : path.replace(/\.js$/, '.ts'));

/** `@scope/name/module` → `@scope/name`. */
const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
