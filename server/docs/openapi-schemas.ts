/**
 * Converts schemas/ to OpenAPI components: names them by title, rewrites references, and avoids constructs that client
 * generators do not support.
 */
import { type JsonSchema, readSchema } from '../../pipeline/base/project.js';
import type { Reference } from '../../pipeline/reference.js';
import { LABELS } from '../../pipeline/reports/event-row.js';

const POINTER = '#/components/schemas/';
/** Keywords without a meaning in OpenAPI. The schemas use `discriminator` only to shorten errors of Ajv. */
const LEFT_OUT = new Set(['$schema', '$id', '$defs', 'tsType', 'discriminator', 'x-open', 'x-values']);

/** Schema of counts, heights and times, which every JSON parser reads exactly. */
export const EXACT_INTEGER = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Allowed values from reference data, by the name that `x-values` contains. */
type Values = Readonly<Record<string, readonly string[]>>;

const valuesOf = ({ categories, triggers }: Pick<Reference, 'categories' | 'triggers'>): Values => ({
  categories: categories.map(({ category }) => category),
  labels: LABELS,
  categoryLabels: [...new Set(categories.map(({ label }) => label))],
  triggers: ['', ...triggers.map(({ trigger }) => trigger)],
});

export class SchemaComponents {
  private readonly schemas = new Map<string, unknown>();
  private readonly values: Values;

  constructor(reference: Pick<Reference, 'categories' | 'triggers'>) {
    this.values = valuesOf(reference);
  }

  /** Adds a schema such as `responses/events.json`. @returns a reference to its component */
  refer(path: string): { $ref: string } {
    const schema = readSchema<JsonSchema & { title: string; $defs?: Readonly<Record<string, unknown>> }>(path);
    this.collect(schema.title, schema);
    // Definitions also become components, because client generators do not find nested ones.
    for (const [name, definition] of Object.entries(schema.$defs ?? {})) this.collect(name, definition);
    return { $ref: POINTER + schema.title };
  }

  private collect(name: string, schema: unknown): void {
    if (this.schemas.has(name)) return;
    // Added first, because references may be circular.
    this.schemas.set(name, {});
    this.schemas.set(name, this.rewrite(schema));
  }

  all(): Record<string, unknown> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

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

  private follow(reference: string): string {
    const { path, fragment } = partsOf(reference);
    const whole = path === '' ? POINTER : this.refer(path).$ref;
    return fragment === '' ? whole : POINTER + fragment.replace(DEFINITION, '');
  }
}

const DEFINITION = '/$defs/';

function partsOf(reference: string): { path: string; fragment: string } {
  const [path = '', fragment = ''] = reference.replace(/^\/schemas\//, '').split('#');
  return { path, fragment };
}

/** Inlines references that client generators do not follow: to a property, or combined with other properties. */
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

/** Adds what client generators do not infer: types of constants, and lists of values. */
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

function constantsOf(alternatives: unknown): string[] | undefined {
  if (!Array.isArray(alternatives) || !alternatives.every((one) => typeof one.const === 'string')) return undefined;
  return alternatives.map((one) => one.const);
}

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
