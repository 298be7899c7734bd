/** Audits the tables. Nothing is published if an audit fails. */
import type { OversizedToken } from '../../schemas/types.generated.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { AuditError, auditParameters, runAudits } from '../publish/run-audits.js';
import { suspectHeights } from '../publish/suspect-heights.js';

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

/** @throws AuditError with the differences */
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

/** Lists tokens that are too large for the columns of rows or opening balances. */
export const oversizedTokens = ({
  start,
  notes,
  accumulated,
}: Pick<Artifacts, 'start' | 'notes' | 'accumulated'>): OversizedToken[] => [
  ...(start?.oversized ?? []).map((denom) => ({ height: start!.height, tx_hash: 'starting state', denom })),
  ...notes.oversized,
  ...accumulated,
];
