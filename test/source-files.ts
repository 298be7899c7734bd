/** Source files: the project's own files as text, and which of them import which, for the tests of tidiness. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { projectRoot } from '../pipeline/base/project.js';

const OTHERS = new Set([
  '.cache',
  '.git',
  'node_modules',
  'dist',
  'data/local',
  'data/sample',
  'data/sample-dataset',
  'data/wallets',
]);
const TEXT = /\.(tsx?|css|html|mjs|json|sql|md|yaml|sh|test)$|Dockerfile$|^\.(ci\/|env\.example$|nvmrc$)/;

export interface SourceFile {
  /** Path from the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** The text without comments: for rules that comments cannot break. */
  readonly code: string;
  /** Project files that the code names relatively: imports, workers and child processes. */
  readonly imports: readonly string[];
  /** Packages and node: modules. */
  readonly packages: readonly string[];
}

/** Takes comments out and leaves strings: good enough for sources that a formatter has laid out. */
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$|\s\/\/ .*$/gm, '');

/** The file of a module: `.ts`, or `.tsx` where it holds markup. */
const sourceOf = (stem: string) => (existsSync(join(projectRoot(), `${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`);

function readSource(path: string): SourceFile {
  const text = readFileSync(join(projectRoot(), path), 'utf8');
  const code = withoutComments(text);
  const relative = code.matchAll(/['"](\.{1,2}\/[^'"\n]+?)\.js['"]/g);
  const siblings = code.matchAll(/import\.meta\.dirname,\s*['"`]([\w-]+)[.$]/g);
  const named = code.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*['"]([@a-z][\w./:-]*)['"]/g);
  return {
    path,
    text,
    code,
    imports: [...relative, ...siblings].map((match) => sourceOf(join(dirname(path), match[1]!))),
    packages: [...named].map((match) => match[1]!),
  };
}

function* walk(folder: string): Generator<string> {
  for (const name of readdirSync(join(projectRoot(), folder)).sort()) {
    const path = join(folder, name);
    if (OTHERS.has(path)) continue;
    if (statSync(join(projectRoot(), path)).isDirectory()) yield* walk(path);
    else if (TEXT.test(path)) yield path;
  }
}

/** Every text file of the project but recordings and files generated into ignored folders. */
export const files: readonly SourceFile[] = [...walk('')].map(readSource);

export const isTest = (path: string) => path.startsWith('test/');
export const isTypeScript = (path: string) => /\.tsx?$/.test(path);

/** The TypeScript files of the product itself. */
export const sources = files.filter(({ path }) => isTypeScript(path) && !isTest(path));

/** Every file that the roots import, directly or not, the roots included. */
export function reachable(roots: readonly string[]): Set<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path) || !byPath.has(path)) return;
    found.add(path);
    byPath.get(path)!.imports.forEach(visit);
  };
  roots.forEach(visit);
  return found;
}

/** Files that import each other in a circle, by whatever way: Tarjan's strongly connected components of more than one file. */
export function circles(covered: readonly Pick<SourceFile, 'path' | 'imports'>[]): string[][] {
  const byPath = new Map(covered.map((file) => [file.path, file]));
  /** Each file's number in the order of the visits. */
  const numbers = new Map<string, number>();
  const found: string[][] = [];
  const open: string[] = [];
  /** Visits a file and what it imports. @returns the lowest number that its imports lead back to */
  const visit = (path: string): number => {
    const number = numbers.size;
    numbers.set(path, number);
    open.push(path);
    let lowest = number;
    for (const other of byPath.get(path)!.imports) {
      if (!byPath.has(other)) continue;
      if (!numbers.has(other)) lowest = Math.min(lowest, visit(other));
      else if (open.includes(other)) lowest = Math.min(lowest, numbers.get(other)!);
    }
    if (lowest === number) {
      const circle = open.splice(open.indexOf(path));
      if (circle.length > 1) found.push(circle);
    }
    return lowest;
  };
  for (const { path } of covered) if (!numbers.has(path)) visit(path);
  return found;
}

/** The offences of a rule must be none; each is named by its file. */
export function expectNone(offences: readonly string[]): void {
  assert.deepEqual(offences, []);
}
