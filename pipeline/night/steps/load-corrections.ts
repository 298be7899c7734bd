import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Correction, ManifestCorrections } from '../../../schemas/types.generated.js';
import { VariableError } from '../../base/config-error.js';
import { readSchema } from '../../base/project.js';
import { changeFault } from '../../holdings/state-changes.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

/** Reads the operator's corrections. @throws VariableError with the JSON pointer of the first invalid member */
export async function loadCorrections(
  _none: Record<never, never>,
  { config }: Pick<StepContext, 'config'>,
): Promise<Pick<Artifacts, 'corrections'>> {
  return { corrections: config.corrections === undefined ? null : readCorrections(config.corrections) };
}

function readCorrections(path: string): ManifestCorrections {
  const text = readFileSync(path, 'utf8');
  const fail = (fault: string): never => {
    throw new VariableError(`HUBLEDGER_CORRECTIONS: ${path}: ${fault}`);
  };
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    fail(`not JSON: ${(error as Error).message.split('\n')[0]}`);
  }
  const corrections = checked(list, fail);
  return { sha256: createHash('sha256').update(text).digest('hex'), list: corrections };
}

function checked(list: unknown, fail: (fault: string) => never): Correction[] {
  const schemas = new Ajv2020({ strict: false, discriminator: true });
  const [corrections] = ['corrections', 'state-change'].map((name) => {
    const schema = readSchema<{ readonly $id: string }>(`reference/${name}.json`);
    schemas.addSchema(schema);
    return schema.$id;
  });
  const validate = schemas.getSchema(corrections!) as ValidateFunction<Correction[]>;
  if (!validate(list)) {
    const { instancePath, message, params } = validate.errors![0]!;
    const { additionalProperty: extra } = params as { additionalProperty?: string };
    return fail(`${instancePath || '/'} ${message}${extra === undefined ? '' : ` (${extra})`}`);
  }
  for (const [i, { what }] of list.entries()) {
    for (const [j, change] of what.entries()) {
      const fault = changeFault(change);
      if (fault !== undefined) fail(`/${i}/what/${j}/${fault}`);
    }
  }
  return list;
}
