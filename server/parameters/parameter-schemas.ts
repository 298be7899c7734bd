/** The parameters of requests as schemas/parameters.json describes them: validation, OpenAPI and llms.txt are made from this. */
import { readSchema } from '../../pipeline/project.js';
import type { Parameters } from '../../schemas/types.generated.js';

/** A key of schemas/parameters.json: what endpoints list, and what their paths have in braces. */
export type ParameterName = keyof Parameters;

/** The bounds of a JSON Schema that tell how long a value may be. */
export interface Lengths {
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/** JSON Schema of a value, as far as this program reads it. */
interface ValueSchema extends Lengths {
  readonly pattern?: string;
  readonly type: string | readonly string[];
  readonly enum?: readonly string[];
  readonly default?: string;
}

/** The parameters by which callers state what the chain cannot know. */
export const STATEMENTS = ['tags', 'asset_decisions', 'opening_lots', 'own_wallets'] as const;

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
  /** The member of a POST body that says the same; the parameter's own name is understood there, too. */
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

/** The place of a request's parameters beside its path, and the names that the caller gave them there. */
export interface Source {
  readonly kind: 'query' | 'body';
  nameOf(name: ParameterName): string;
}

export const QUERY: Source = { kind: 'query', nameOf: (name) => PARAMETERS[name].name };

/** A body names a parameter by either of its names; one that it leaves out is told by the member's (decision R5). */
export const bodySource = (body: Readonly<Record<string, unknown>>): Source => ({
  kind: 'body',
  nameOf: (name) => givenMembers(body, name)[0] ?? PARAMETERS[name].member.name,
});

/** The members of a body that say a parameter, of its two names; null counts as not given. */
export const givenMembers = (body: Readonly<Record<string, unknown>>, name: ParameterName): string[] =>
  memberNames(PARAMETERS[name]).filter((member) => Object.hasOwn(body, member) && body[member] !== null);

/** The names under which a body may say a parameter. */
export const memberNames = ({ name, member }: Parameter): string[] => [...new Set([member.name, name])];
