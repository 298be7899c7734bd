/** Finds the blocks that a failed audit points at, so that nodes can be asked for them again. */
import type { OversizedToken } from '../../schemas/types.generated.js';
import { type Database, type Parameters, readSql } from '../duckdb/database.js';
import type { AuditResult } from './run-audits.js';

/** Blocks that rows name: anybody can make tokens without rows, in many blocks. */
const NAMED_MAX = 400;
/** Blocks that only an account or a day points at: to ask for more takes too long. */
const RELATED_MAX = 200;

/** Columns that begin with a height. */
const IDS = ['id', 'entry_id', 'record_id'];

/**
 * Returns heights in two groups: those that rows name, and those that are found by a row's account or day.
 * @param oversized tokens without rows, which audits then miss
 * @param parameters of the audits
 */
export async function suspectHeights(
  database: Database,
  failed: readonly AuditResult[],
  oversized: readonly OversizedToken[],
  { pools }: Parameters,
): Promise<number[][]> {
  const rows = failed.flatMap(({ differences }) => differences);
  const valuesOf = (column: string) => rows.map((row) => row[column]).filter((value) => value !== undefined);
  const named = [
    ...valuesOf('height').map(Number),
    ...IDS.flatMap((column) => valuesOf(column).map((id) => Number.parseInt(String(id), 10))),
    ...oversized.map(({ height }) => height),
  ]
    .filter(Number.isSafeInteger)
    .slice(0, NAMED_MAX);
  const addresses = valuesOf('address').map(String);
  const closes = valuesOf('close_height').map(Number);
  if (addresses.length + closes.length === 0) return [named];
  const related = await database.all<{ height: number }>(readSql('tables/suspect_heights'), {
    addresses,
    pools: pools!,
    close: closes.length > 0 ? Math.min(...closes) : 0,
    most: RELATED_MAX,
  });
  return [named, related.map(({ height }) => height)];
}
