/** The templates that importers publish, as JSON Schemas of a row; their sources and days are in them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { projectRoot } from '../../../../../pipeline/base/project.js';
import { parseCsv } from '../../../parse-csv.js';

interface Template {
  readonly description: string;
  /** Columns by their headings, in order. */
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
}

const FOLDER = join(projectRoot(), 'test/server/tax/formats/profiles/templates');

export const template = (profile: string): Template =>
  JSON.parse(readFileSync(join(FOLDER, `${profile}.json`), 'utf8'));

export type Cells = Readonly<Record<string, string>>;

/** Compiled templates by profile: a test holds hundreds of files against each. */
const compiled = new Map<string, ValidateFunction<Cells>>();

function validatorOf(profile: string, schema: Template): ValidateFunction<Cells> {
  const validate = compiled.get(profile) ?? new Ajv2020({ allErrors: true }).compile<Cells>(schema);
  compiled.set(profile, validate);
  return validate;
}

/** Compares a file with the profile's template, and requires that no two rows are equal. @returns its rows */
export function requireTemplate(profile: string, text: string): Cells[] {
  const schema = template(profile);
  const [header, ...lines] = parseCsv(text);
  assert.deepEqual(header, Object.keys(schema.properties), profile);
  assert.equal(new Set(lines.map((cells) => JSON.stringify(cells))).size, lines.length, `${profile}: two equal rows`);
  const validate = validatorOf(profile, schema);
  return lines.map((cells) => {
    const row = Object.fromEntries(cells.map((cell, i) => [header![i]!, cell]));
    assert.ok(validate(row), `${profile}: ${JSON.stringify(row)} ${JSON.stringify(validate.errors)}`);
    return row;
  });
}
