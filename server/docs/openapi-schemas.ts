/** The JSON Schemas of schemas/ as components of the OpenAPI document: named by their titles, references rewritten. */
import { type JsonSchema, readSchema } from '../schemas.js';

const POINTER = '#/components/schemas/';
/**
 * Members that mean nothing in the document: where a file lies, and what TypeScript makes of it. A discriminator, which shortens the
 * errors of Ajv, would have to name components there.
 */
const LEFT_OUT = new Set(['$schema', '$id', 'tsType', 'discriminator']);

/** A count, a height or a time: nothing here is negative, and every JSON reader holds it exactly. */
export const EXACT_INTEGER = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** Collects schemas with all that they refer to. */
export class SchemaComponents {
  private readonly schemas = new Map<string, JsonSchema>();

  /** Collects a schema, and gives the reference to it: `responses/events.json` → `#/components/schemas/…`. */
  refer(path: string): { $ref: string } {
    const schema = readSchema<JsonSchema & { title: string }>(path);
    const pointer = POINTER + schema.title;
    if (!this.schemas.has(schema.title)) {
      // The schema's place is taken before its references are followed: they may lead back here.
      this.schemas.set(schema.title, {});
      this.schemas.set(schema.title, this.rewrite(schema, pointer) as JsonSchema);
    }
    return { $ref: pointer };
  }

  /** All schemas by name, in alphabetical order. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private rewrite(value: unknown, base: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item, base));
    if (typeof value !== 'object' || value === null) return value;
    const standing = [(value as JsonSchema).type].flat().includes('integer') ? EXACT_INTEGER : {};
    return Object.fromEntries(
      Object.entries({ ...standing, ...value })
        .filter(([name]) => !LEFT_OUT.has(name))
        .map(([name, member]) => [
          name,
          name === '$ref' && typeof member === 'string' ? this.follow(member, base) : this.rewrite(member, base),
        ]),
    );
  }

  /** Follows a reference: `#/$defs/X` stays within its schema; `/schemas/reference/x.json` becomes a component of its own. */
  private follow(reference: string, base: string): string {
    if (reference.startsWith('#')) return base + reference.slice(1);
    const [path = '', fragment = ''] = reference.replace(/^\/schemas\//, '').split('#');
    return this.refer(path).$ref + fragment;
  }
}
