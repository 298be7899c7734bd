import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

export function projectRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the program');
    folder = parent;
  }
  return folder;
}

export const VERSION: string = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).version;

/** Reports whether the program was installed as a package. */
export const isInstalled = (): boolean => projectRoot().split(sep).includes('node_modules');

/** Returns the version with the commit that was built, such as 0.1.0 (7e148bc2), if it is known. */
export function versionAndCommit(): string {
  const file = join(projectRoot(), 'dist/commit.txt');
  const commit = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return commit === '' ? VERSION : `${VERSION} (${commit})`;
}

export interface JsonSchema {
  readonly [member: string]: unknown;
}

export function readSchema<Schema = JsonSchema>(path: string): Schema {
  return JSON.parse(readFileSync(join(projectRoot(), 'schemas', path), 'utf8'));
}
