/** Maps DuckDB types to Delta Lake types (Delta protocol, "Schema Serialization Format"). */

export type DeltaType =
  | string
  | { readonly type: 'array'; readonly elementType: DeltaType; readonly containsNull: true }
  | { readonly type: 'struct'; readonly fields: readonly DeltaField[] };

export interface DeltaField {
  readonly name: string;
  readonly type: DeltaType;
  readonly nullable: true;
  /** Spark and other readers show `comment` as the column's description. */
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

function memberField(member: string): DeltaField {
  const [, name, type] = /^"?(\w+)"? (.+)$/.exec(member)!;
  return deltaField(name!, type!);
}

/** Splits at commas outside of parentheses. */
const split = (members: string): string[] => members.split(/, (?![^()]*\))/);
