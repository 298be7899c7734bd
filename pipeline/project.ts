/** The project as it is installed: its folder, its version and its schemas. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder that holds package.json, from the sources as well as from dist/. */
export function projectRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the program');
    folder = parent;
  }
  return folder;
}

/** The version that package.json states. */
export const VERSION: string = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).version;

/** A JSON Schema. What a caller relies on of its members is the schema's own business. */
export interface JsonSchema {
  readonly [member: string]: unknown;
}

/** Reads a JSON Schema by its path below schemas/: `problem.json`. */
export function readSchema<Schema = JsonSchema>(path: string): Schema {
  return JSON.parse(readFileSync(join(projectRoot(), 'schemas', path), 'utf8'));
}
