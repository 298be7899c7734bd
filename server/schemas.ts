/** The JSON Schemas that the server reads at run time, by their path below schemas/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../pipeline/project.js';

/** A schema as parsed JSON. What a caller relies on of its members is the schema's own business. */
export interface JsonSchema {
  readonly [member: string]: unknown;
}

/** Reads a schema: `problem.json` → the one in schemas/problem.json. */
export function readSchema<Schema = JsonSchema>(path: string): Schema {
  return JSON.parse(readFileSync(join(projectRoot(), 'schemas', path), 'utf8'));
}
