/** What schemas/parameters.json says, and how a fault in a parameter is told. */
import type { FieldError, QueryParameters } from '../../schemas/types.generated.js';
import { Problem } from '../problem.js';
import { readSchema } from '../schemas.js';

/** A key of schemas/parameters.json. */
export type ParameterName = keyof QueryParameters;

/** Those of the contract API. */
type ContractParameterName =
  | 'network'
  | 'contract'
  | 'contract_address'
  | 'query'
  | 'height'
  | 'limit'
  | 'pagination_key';

/** Those of the tax API. */
export type TaxParameterName = Exclude<ParameterName, ContractParameterName>;

/** What schemas/parameters.json says of one parameter; its keys beside JSON Schema's own begin with x-. */
export interface ParameterSchema {
  readonly description: string;
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly default?: string;
  readonly examples: readonly string[];
  readonly 'x-name'?: string;
  readonly 'x-in'?: 'path';
  readonly 'x-required'?: true;
  readonly 'x-empty'?: 'absent';
  readonly 'x-body'?: {
    readonly name: string;
    readonly type: string | readonly string[];
    readonly enum?: readonly string[];
  };
}

export const PARAMETERS = readSchema<{ properties: Readonly<Record<ParameterName, ParameterSchema>> }>(
  'parameters.json',
).properties;

/** Where parameters came from. */
export type Source = 'query' | 'body';

/** A body of a megabyte can be wrong in a million places. */
export const MOST_FAULTS = 50;

/** A key of a megabyte is not sent back. */
export const LONGEST_POINTER = 300;

/** Something wrong with a parameter; `path` is a JSON pointer below it. */
export interface ParameterFault {
  readonly name: ParameterName;
  readonly path: string;
  readonly message: string;
}

/** The problem that tells a caller every fault, by the names the caller used. */
export function refusal(source: Source, faults: readonly ParameterFault[]): Problem {
  const errors: FieldError[] = faults
    .slice(0, MOST_FAULTS)
    .map(({ name, path, message }) => ({ path: nameIn(source, name) + path.slice(0, LONGEST_POINTER), message }));
  const told = errors.slice(0, 3).map(({ path, message }) => `${path}: ${message}`);
  if (faults.length > told.length) told.push('and more, see errors');
  return new Problem(source === 'body' ? 'validation_failed' : 'bad_request', told.join('; '), { errors });
}

/** The name under which a caller knows the parameter. */
export function nameIn(source: Source, name: ParameterName): string {
  const schema = PARAMETERS[name];
  return (source === 'body' ? schema['x-body']?.name : undefined) ?? schema['x-name'] ?? name;
}
