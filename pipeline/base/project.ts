import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

export interface JsonSchema {
  readonly [member: string]: unknown;
}

export function readSchema<Schema = JsonSchema>(path: string): Schema {
  return JSON.parse(readFileSync(join(projectRoot(), 'schemas', path), 'utf8'));
}
