/**
 * The JSON Schemas of schemas/ as components of the OpenAPI document: named by their titles, references rewritten, and in the forms
 * that generators of clients understand.
 */
import { type JsonSchema, readSchema } from '../../pipeline/project.js';
import type { Reference } from '../../pipeline/reference.js';
import { LABELS } from '../../pipeline/reports/label.js';

const POINTER = '#/components/schemas/';
/**
 * Members that mean nothing in the document: where a file lies, and what TypeScript makes of it. A discriminator, which shortens the
 * errors of Ajv, would have to name components there.
 */
const LEFT_OUT = new Set(['$schema', '$id', '$defs', 'tsType', 'discriminator', 'x-open', 'x-values']);

/** A count, a height or a time: nothing here is negative, and every JSON reader holds it exactly. */
export const EXACT_INTEGER = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Values of the reviewed data by the name that a schema's `x-values` has for them. */
type Values = Readonly<Record<string, readonly string[]>>;

const valuesOf = ({ categories, triggers }: Pick<Reference, 'categories' | 'triggers'>): Values => ({
  categories: categories.map(({ category }) => category),
  labels: LABELS,
  categoryLabels: [...new Set(categories.map(({ label }) => label))],
  triggers: ['', ...triggers.map(({ trigger }) => trigger)],
});

/** Collects schemas with all that they refer to. */
export class SchemaComponents {
  private readonly schemas = new Map<string, unknown>();
  private readonly values: Values;

  /** @param reference the reviewed data, which has the values of some members */
  constructor(reference: Pick<Reference, 'categories' | 'triggers'>) {
    this.values = valuesOf(reference);
  }

  /** Collects a schema, and gives the reference to it: `responses/events.json` → `#/components/schemas/…`. */
  refer(path: string): { $ref: string } {
    const schema = readSchema<JsonSchema & { title: string; $defs?: Readonly<Record<string, unknown>> }>(path);
    this.collect(schema.title, schema);
    // Definitions are components, too: no generator looks for one inside another.
    for (const [name, definition] of Object.entries(schema.$defs ?? {})) this.collect(name, definition);
    return { $ref: POINTER + schema.title };
  }

  private collect(name: string, schema: unknown): void {
    if (this.schemas.has(name)) return;
    // The schema's place is taken before its references are followed: they may lead back here.
    this.schemas.set(name, {});
    this.schemas.set(name, this.rewrite(schema));
  }

  /** All schemas by name, in alphabetical order. */
  all(): Record<string, unknown> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A schema of schemas/ as the document has it. */
  rewrite(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item));
    if (typeof value !== 'object' || value === null) return value;
    const schema = explicit(inlined(value as JsonSchema), this.values);
    const members = Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name));
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        name === '$ref' && typeof member === 'string' ? this.follow(member) : this.rewrite(member),
      ]),
    );
  }

  /** Follows a reference: `#/$defs/X` and `/schemas/reference/x.json` become components of their own. */
  private follow(reference: string): string {
    const { path, fragment } = partsOf(reference);
    const whole = path === '' ? POINTER : this.refer(path).$ref;
    return fragment === '' ? whole : POINTER + fragment.replace(DEFINITION, '');
  }
}

const DEFINITION = '/$defs/';

/** The file below schemas/ and the pointer in it that a reference names. */
function partsOf(reference: string): { path: string; fragment: string } {
  const [path = '', fragment = ''] = reference.replace(/^\/schemas\//, '').split('#');
  return { path, fragment };
}

/** A schema without a reference that generators do not follow: to a property of another schema, or to one that it adds members to. */
function inlined(schema: JsonSchema): JsonSchema {
  const { $ref: reference, type, ...rest } = schema;
  if (typeof reference !== 'string') return schema;
  const { path, fragment } = partsOf(reference);
  const isProperty = fragment !== '' && !fragment.startsWith(DEFINITION);
  if (!isProperty && rest.properties === undefined) return { $ref: reference, ...rest };
  const names = fragment.split('/').slice(1);
  const other = names.reduce<JsonSchema>((within, name) => within[name] as JsonSchema, readSchema(path));
  return {
    ...other,
    ...rest,
    ...(rest.properties !== undefined && { properties: { ...other.properties!, ...rest.properties } }),
  };
}

/** A schema with what it leaves for its reader to conclude, which generators do not: types of constants, and lists of values. */
function explicit(schema: JsonSchema, values: Values): JsonSchema {
  const types = [schema.type ?? []].flat();
  const constants = constantsOf(schema.oneOf);
  if (constants) {
    const { oneOf, ...rest } = schema;
    return { ...rest, type: 'string', [schema['x-open'] ? 'x-extensible-enum' : 'enum']: constants };
  }
  if (types.includes('integer')) return { ...EXACT_INTEGER, ...schema };
  if (typeof schema['x-values'] === 'string') return { ...schema, 'x-extensible-enum': values[schema['x-values']] };
  if (types.length === 0 && typeof schema.const === 'string') return { type: 'string', ...schema };
  if (types.length === 0 && Array.isArray(schema.enum)) return { type: typeof schema.enum[0], ...schema };
  return types.includes('array') && types.includes('string') ? textOrList(schema) : schema;
}

/** The values of alternatives that are constants all of them. */
function constantsOf(alternatives: unknown): string[] | undefined {
  if (!Array.isArray(alternatives) || !alternatives.every((one) => typeof one.const === 'string')) return undefined;
  return alternatives.map((one) => one.const);
}

/** A text or a list as alternatives of one type each. */
function textOrList({ type, minLength, maxLength, minItems, maxItems, items, ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    anyOf: [
      { type: 'string', ...(minLength !== undefined && { minLength }), ...(maxLength !== undefined && { maxLength }) },
      {
        type: 'array',
        items,
        ...(minItems !== undefined && { minItems }),
        ...(maxItems !== undefined && { maxItems }),
      },
    ],
  };
}
