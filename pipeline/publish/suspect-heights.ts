/** Finds blocks that may have caused failed audits, so that they can be fetched again. */
import type { OversizedToken } from '../../schemas/types.generated.js';
import { type Database, type Parameters, readSql } from '../duckdb/database.js';
import type { AuditResult } from './run-audits.js';

/** Limit for blocks named by rows; anyone can create oversized tokens in many blocks. */
const NAMED_MAX = 400;
/** Limit for blocks found by account or day, which keeps the fetching short. */
const RELATED_MAX = 200;

/** Columns whose values begin with a height. */
const IDS = ['id', 'entry_id', 'record_id'];

/**
 * Returns two groups of heights: named by rows, and found by a row's account or day.
 * @param oversized tokens left out of rows, which audits may miss
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
