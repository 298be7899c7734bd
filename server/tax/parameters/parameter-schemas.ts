import { readSchema } from '../../../pipeline/base/project.js';
import type { Parameters } from '../../../schemas/types.generated.js';

/** The name of a parameter in schemas/parameters.json. In path templates of endpoints, it is in braces. */
export type ParameterName = keyof Parameters;

export interface Lengths {
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

interface ValueSchema extends Lengths {
  readonly pattern?: string;
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: string;
}

/** Parameters with facts that the chain does not contain, and the lot method. */
export const STATEMENTS = ['tags', 'asset_decisions', 'opening_lots', 'own_wallets', 'method'] as const;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly isEmptyAbsent: boolean;
  /** True for required parameters, and for others that a usual request has. */
  readonly isInExamples: boolean;
  /** True for credentials, which are in the query even if the request has a body. */
  readonly isQueryOnly: boolean;
  readonly description: string;
  readonly example: string;
  readonly schema: ValueSchema;
  /** Name and schema of the parameter in the body of a POST request. A body may also use the parameter's own name. */
  readonly member: { readonly name: string; readonly schema: ValueSchema };
}

interface Described extends ValueSchema {
  readonly description: string;
  readonly examples: readonly string[];
  readonly 'x-name'?: string;
  readonly 'x-in'?: 'path';
  readonly 'x-required'?: true;
  readonly 'x-usual'?: true;
  readonly 'x-empty'?: 'absent';
  readonly 'x-query-only'?: true;
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
    'x-usual': isUsual = false,
    'x-empty': empty,
    'x-query-only': isQueryOnly = false,
    'x-body': body,
    ...schema
  } = described;
  const { name: member, ...itsSchema } = body ?? { name, ...schema };
  return {
    ...{ name, in: place, required, description, schema },
    isEmptyAbsent: empty === 'absent',
    isInExamples: required || isUsual,
    isQueryOnly,
    example: examples[0]!,
    member: { name: member, schema: itsSchema },
  };
}

interface WithParameters {
  readonly path: string;
  readonly parameters: readonly ParameterName[];
}

/** Names of parameters by route. Every request needs them. */
const namesOfRoutes = new WeakMap<WithParameters, readonly ParameterName[]>();

/** Returns the parameters of a route, first those of its path. */
export function parametersOf(route: WithParameters): readonly ParameterName[] {
  const known = namesOfRoutes.get(route);
  if (known) return known;
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as ParameterName);
  const names = [...inPath, ...route.parameters];
  namesOfRoutes.set(route, names);
  return names;
}

export interface Source {
  readonly kind: 'query' | 'body';
  nameOf(name: ParameterName): string;
}

/**
 * Returns an error if a value is too long. Must be called before the value is parsed, because parsing long values is
 * slow.
 */
export function lengthFault(schema: Lengths, value: unknown): string | undefined {
  const { maxLength = Infinity, maxItems = Infinity, maxProperties = Infinity } = schema;
  if (typeof value === 'string') return value.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
  if (Array.isArray(value)) return value.length > maxItems ? `has more than ${maxItems} items` : undefined;
  if (typeof value !== 'object' || value === null || maxProperties === Infinity) return undefined;
  return Object.keys(value).length > maxProperties ? `has more than ${maxProperties} members` : undefined;
}
