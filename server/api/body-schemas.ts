import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { projectRoot, readSchema } from '../../pipeline/base/project.js';
import type { FieldError } from '../http/problem.js';
import { invalidBody } from '../tax/parameters/faults.js';
import { type Lengths, lengthFault } from '../tax/parameters/parameter-schemas.js';
import type { RequestName } from './endpoint.js';

/** Validates the request bodies of actions (endpoints that change data) with schemas/requests/*.json. */
const ajv = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false } });
formats.default(ajv);
// These parts are accepted here, because the parsers of decisions and lots report better errors.
for (const unchecked of ['asset-decision', 'stated-lot']) ajv.addSchema({ $id: `/schemas/${unchecked}.json` });
for (const shared of ['scope.json', 'webhook-event-type.json']) ajv.addSchema(readSchema(shared));
for (const file of readdirSync(join(projectRoot(), 'schemas/requests')).sort())
  ajv.addSchema(readSchema(`requests/${file}`));

interface BodySchema {
  readonly properties: Readonly<Record<string, Lengths>>;
}

const validatorOf = (name: RequestName) => ajv.getSchema<unknown>(`/schemas/requests/${name}.json`)!;
const propertiesOf = (name: RequestName) => (validatorOf(name).schema as BodySchema).properties;

export const unknownMembers = (name: RequestName, body: object): string[] =>
  Object.keys(body).filter((member) => !Object.hasOwn(propertiesOf(name), member));

export function requireValidBody(name: RequestName, body: Readonly<Record<string, unknown>>): void {
  const validate = validatorOf(name);
  const overlong = Object.entries(propertiesOf(name)).flatMap(([path, schema]) => {
    const message = lengthFault(schema, body[path]);
    return message === undefined ? [] : [{ path, message }];
  });
  if (overlong.length > 0) throw invalidBody(overlong);
  if (validate(body)) return;
  throw invalidBody((validate.errors ?? []).filter(({ keyword }) => keyword !== 'const').map(fieldError));
}

const MESSAGES: Readonly<Record<string, string>> = {
  format: 'must be an RFC 3339 instant, such as 2027-01-31T00:00:00Z',
  minItems: 'must not be empty',
  minLength: 'must not be empty',
  minProperties: 'must not be empty',
  oneOf: 'must be one of the listed values',
  pattern: 'does not match its pattern: see the OpenAPI document',
  uniqueItems: 'contains a duplicate',
};

function fieldError({ instancePath, keyword, params, message = 'is invalid' }: ErrorObject): FieldError {
  const path = instancePath.slice(1);
  if (keyword === 'required')
    return { path: `${instancePath}/${params.missingProperty}`.slice(1), message: 'is required' };
  if (keyword === 'enum') return { path, message: `must be ${(params.allowedValues as string[]).join(' or ')}` };
  return { path, message: MESSAGES[keyword] ?? message };
}
