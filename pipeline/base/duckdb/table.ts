import { readSchema } from '../project.js';

export interface Table {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly description: string }[];
  readonly sortedBy: readonly string[];
  /**
   * Column with a block height, or the column `month`. The month decides which file contains the row. Null if the row has
   * not ended.
   */
  readonly cutBy: string;
  readonly hasLongRows: boolean;
}

interface TableSchema {
  description: string;
  'x-sorted-by': string[];
  'x-cut-by'?: string;
  'x-long-rows'?: boolean;
  properties: Record<string, { 'x-column': string; description: string }>;
}

const tables = new Map<string, Table>();

export function readTable(name: string): Table {
  const known = tables.get(name);
  if (known) return known;
  const schema = readSchema<TableSchema>(`tables/${name}.json`);
  const table: Table = {
    name,
    description: schema.description,
    columns: Object.entries(schema.properties).map(([column, { 'x-column': type, description }]) => ({
      name: column,
      type,
      description,
    })),
    sortedBy: schema['x-sorted-by'],
    cutBy: schema['x-cut-by'] ?? 'height',
    hasLongRows: schema['x-long-rows'] ?? false,
  };
  tables.set(name, table);
  return table;
}
