/** Validates manifests against schemas/manifest.json. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { readSchema } from '../base/project.js';

const REFERENCED = ['reference/corrections', 'reference/state-change', 'starting-difference'];

function compile(allErrors: boolean, read: (name: string) => object): ValidateFunction {
  const schemas = new Ajv2020({ strict: false, allErrors, code: { optimize: false } });
  formats.default(schemas);
  for (const name of REFERENCED) schemas.addSchema(read(`${name}.json`));
  return schemas.compile(read('manifest.json'));
}

/** Removes `additionalProperties: false` from a schema. */
const allowingMembers = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  );

let exact: ValidateFunction | undefined;
let tolerant: ValidateFunction | undefined;

const faultsOf = ({ errors }: ValidateFunction): string[] =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);

/** Returns all differences between a manifest and the schema. */
export function schemaFaults(manifest: unknown): string[] {
  exact ??= compile(true, readSchema);
  return exact(manifest) ? [] : faultsOf(exact);
}

/**
 * Returns the first difference between a received manifest and the schema. Accepts unknown members, because a later
 * version of the program may add them.
 */
export function receivedFault(manifest: unknown): string | undefined {
  tolerant ??= compile(false, (name) => allowingMembers(readSchema(name)));
  return tolerant(manifest) ? undefined : faultsOf(tolerant)[0];
}
