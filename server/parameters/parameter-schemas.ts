/** The parameters of requests as schemas/parameters.json describes them: validation, OpenAPI and llms.txt are made from this. */
import type { Parameters } from '../../schemas/types.generated.js';
import { readSchema } from '../schemas.js';

/** A key of schemas/parameters.json: what endpoints list, and what their paths have in braces. */
export type ParameterName = keyof Parameters;

/** JSON Schema of a value, as far as this program reads it. */
interface ValueSchema {
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: string;
}

export interface Parameter {
  /** The name that callers use in a path or query. */
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  /** Whether an empty value counts as not given. */
  readonly isEmptyAbsent: boolean;
  readonly description: string;
  /** A valid value as text. */
  readonly example: string;
  /** Schema of the value, which is a text wherever it stands in a path or query. */
  readonly schema: ValueSchema;
  /** The member of a POST body that says the same. */
  readonly member: { readonly name: string; readonly schema: ValueSchema };
}

/** A parameter as the file has it: JSON Schema, and keys of its own that begin with x-. */
interface Described extends ValueSchema {
  readonly description: string;
  readonly examples: readonly string[];
  readonly 'x-name'?: string;
  readonly 'x-in'?: 'path';
  readonly 'x-required'?: true;
  readonly 'x-empty'?: 'absent';
  readonly 'x-body'?: ValueSchema & { readonly name: string };
}

const FILE = readSchema<{ properties: Readonly<Record<ParameterName, Described>> }>('parameters.json');

const entries = Object.entries(FILE.properties).map(([key, described]) => [key, parameterOf(key, described)]);

export const PARAMETERS: Readonly<Record<ParameterName, Parameter>> = Object.fromEntries(entries);

function parameterOf(key: string, described: Described): Parameter {
  const {
    description,
    examples,
    'x-name': name = key,
    'x-in': place = 'query',
    'x-required': required = place === 'path',
    'x-empty': empty,
    'x-body': body,
    ...schema
  } = described;
  const { name: member, ...itsSchema } = body ?? { name, ...schema };
  return {
    ...{ name, in: place, required, description, schema },
    isEmptyAbsent: empty === 'absent',
    example: examples[0]!,
    member: { name: member, schema: itsSchema },
  };
}

/** The parameters of an endpoint as they are documented: those of its path, then those that it lists. */
export function parametersOf(route: { readonly path: string; readonly parameters: readonly ParameterName[] }) {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParameterName);
  return [...inPath, ...route.parameters];
}

/** The place of a request's parameters beside its path. */
export type Source = 'query' | 'body';

/** The name under which a caller knows the parameter. */
export function nameIn(source: Source, name: ParameterName): string {
  const parameter = PARAMETERS[name];
  return source === 'body' && parameter.in === 'query' ? parameter.member.name : parameter.name;
}
