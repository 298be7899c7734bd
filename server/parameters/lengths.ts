/** Lengths of values, checked by their schema before anything of them is compared, matched or decoded. */

/** The bounds of a JSON Schema that tell how long a value may be. */
export interface Lengths {
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/** Says that a text, a list or an object is longer than its schema allows. @returns undefined where it is not */
export function lengthFault(schema: Lengths, value: unknown): string | undefined {
  const { maxLength = Infinity, maxItems = Infinity, maxProperties = Infinity } = schema;
  if (typeof value === 'string') return value.length > maxLength ? `is longer than ${maxLength} characters` : undefined;
  if (Array.isArray(value)) return value.length > maxItems ? `has more than ${maxItems} items` : undefined;
  if (typeof value !== 'object' || value === null || maxProperties === Infinity) return undefined;
  return Object.keys(value).length > maxProperties ? `has more than ${maxProperties} members` : undefined;
}
