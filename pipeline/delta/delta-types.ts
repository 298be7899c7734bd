/** Types of Delta Lake's schemas (Delta protocol, "Schema Serialization Format"), as they follow from those of DuckDB. */

/** A type as a Delta schema writes it: a primitive's name, or an object. */
export type DeltaType =
  | string
  | { readonly type: 'array'; readonly elementType: DeltaType; readonly containsNull: true }
  | { readonly type: 'struct'; readonly fields: readonly DeltaField[] };

export interface DeltaField {
  readonly name: string;
  readonly type: DeltaType;
  readonly nullable: true;
  /** `comment` is where Spark and others show a column's meaning. */
  readonly metadata: { readonly comment?: string };
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
  BIGINT: 'long',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
};

/**
 * Translates a column's type: `STRUCT(denom VARCHAR, ratio DECIMAL(38,18))[]` is an array of structs.
 * @throws Error for a type that Delta Lake does not have
 */
export function deltaType(type: string): DeltaType {
  if (type.endsWith('[]')) return { type: 'array', elementType: deltaType(type.slice(0, -2)), containsNull: true };
  const members = /^STRUCT\((.*)\)$/.exec(type)?.[1];
  if (members !== undefined) return { type: 'struct', fields: split(members).map(memberField) };
  const decimal = /^DECIMAL\((\d+), ?(\d+)\)$/.exec(type);
  if (decimal) return `decimal(${decimal[1]},${decimal[2]})`;
  const primitive = PRIMITIVES[type];
  if (primitive === undefined) throw new Error(`Delta Lake has no type for ${type}`);
  return primitive;
}

export const deltaField = (name: string, type: string, comment?: string): DeltaField => ({
  name,
  type: deltaType(type),
  nullable: true,
  metadata: comment === undefined ? {} : { comment },
});

/** `denom VARCHAR` → the field of a struct. */
function memberField(member: string): DeltaField {
  const [, name, type] = /^"?(\w+)"? (.+)$/.exec(member)!;
  return deltaField(name!, type!);
}

/** Splits a struct's members at the commas that stand in no bracket. */
const split = (members: string): string[] => members.split(/, (?![^()]*\))/);
