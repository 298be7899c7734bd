/** Audits the tables. If an audit fails, nothing is published. */
import type { OversizedToken } from '../../../schemas/types.generated.js';
import { type Database, type Parameters, readSql } from '../../base/duckdb/database.js';
import { AuditError, type AuditResult, auditParameters, runAudits } from '../../publish/run-audits.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

type Inputs =
  | 'start'
  | 'span'
  | 'folded'
  | 'notes'
  | 'accumulated'
  | 'priced_events'
  | 'other_tables'
  | 'denom_metadata'
  | 'flagged_receipts'
  | 'ledger_entries'
  | 'closing_positions';

export async function audit(
  { start, span, folded, notes, accumulated, other_tables, ...single }: Pick<Artifacts, Inputs>,
  { database, folder, reference }: StepContext,
): Promise<Pick<Artifacts, 'audited_tables'>> {
  const tables = [...Object.values(single), ...other_tables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const failed = [];
  const audited = {
    tables,
    oversized: oversizedTokens({ start, notes, accumulated }),
    coverage: { first_height: span.first, starting_height: start?.height ?? null },
    holdings_until: folded?.until ?? null,
    starting_differences: [...(start?.differences ?? [])],
  };
  for await (const result of runAudits(folder, audited, reference)) {
    if (result.differences.length > 0) failed.push(result);
  }
  if (failed.length > 0) {
    throw new AuditError(failed, await suspectHeights(database, failed, notes.oversized, auditParameters(reference)));
  }
  return { audited_tables: tables };
}

export const oversizedTokens = ({
  start,
  notes,
  accumulated,
}: Pick<Artifacts, 'start' | 'notes' | 'accumulated'>): OversizedToken[] => [
  ...(start?.oversized ?? []).map((denom) => ({ height: start!.height, tx_hash: 'starting state', denom })),
  ...notes.oversized,
  ...accumulated,
];

/** Maximum number of heights taken from rows. Tokens with too large amounts may be in any number of blocks. */
const NAMED_MAX = 400;
/** Maximum number of heights found by address or day, because each of these blocks is fetched again. */
const RELATED_MAX = 200;

const IDS = ['id', 'entry_id', 'record_id'];

/**
 * Returns heights of blocks that may have caused failed audits, in two groups. The first group has the heights in the
 * differing rows. The second group has the heights of blocks with the same address or day.
 * @param oversized tokens with amounts too large for a column: their missing rows may cause a difference
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
