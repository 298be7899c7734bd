/** Audits the tables. If an audit fails, nothing is published. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OversizedToken } from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { type Database, type Parameters, readSql } from '../../base/duckdb/database.js';
import { filesOfMonth } from '../../publish/generation.js';
import {
  AuditError,
  type Audited,
  type AuditResult,
  auditParameters,
  holdingsParameters,
  OF_THE_WHOLE_CHAIN,
  runAudits,
} from '../../publish/run-audits.js';
import type { Artifacts, SpanMonth } from '../artifacts.js';
import { namesFile, readVerdicts } from '../jobs/audit/audit-month.js';
import { MONTH_TABLES } from '../jobs/months/make-month.js';
import { type ComingPiece, startPieces } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { filesOfPiece, type Piece, writePiece } from '../pieces.js';

type Inputs =
  | 'start'
  | 'span'
  | 'folded'
  | 'notes'
  | 'accumulated'
  | 'tracked_wallets'
  | 'figures'
  | 'audited_months'
  | 'closed_holdings'
  | 'month_pieces'
  | 'replayed'
  | 'priced_events'
  | 'other_tables'
  | 'denom_metadata'
  | 'flagged_receipts'
  | 'ledger_entries'
  | 'closing_positions';

export async function audit(
  inputs: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Pick<Artifacts, 'audited_tables'>> {
  const { database, folder, reference } = context;
  const { start, span, folded, notes, accumulated, tracked_wallets, audited_months, other_tables } = inputs;
  const { priced_events, denom_metadata, flagged_receipts, ledger_entries, closing_positions } = inputs;
  const single = [priced_events, denom_metadata, flagged_receipts, ledger_entries, closing_positions];
  const tables = [...single, ...other_tables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const audited = {
    tables,
    oversized: oversizedTokens({ start, notes, accumulated }),
    coverage: { first_height: span.first, starting_height: start?.height ?? null },
    holdings_until: folded?.until ?? null,
    starting_differences: [...(start?.differences ?? [])],
    ...(tracked_wallets && { own_wallets: tracked_wallets }),
  };
  const moduleAccounts = await moduleAccountsIn(database);
  const results = audited_months.flatMap(readVerdicts);
  const names = audited_months.map(namesFile);
  const { closed, since } = await auditedBefore(inputs, audited, context);
  for await (const result of runAudits(folder, audited, reference, { moduleAccounts, names, since }))
    results.push(result);
  const failed = results.filter(
    ({ audit, differences }) => differences.length > 0 && !(tracked_wallets && OF_THE_WHOLE_CHAIN.has(audit)),
  );
  if (failed.length > 0) {
    throw new AuditError(failed, await suspectHeights(database, failed, notes.oversized, auditParameters(reference)));
  }
  if (closed && since < 0) await writePiece(closed.folder, async () => {});
  return { audited_tables: tables };
}

/**
 * Looks for the proof that an earlier run has audited all rows of the closed months. The proof is an empty piece, which a
 * run makes after all audits have passed. Its key covers these rows, and all delegations at the end of these months.
 */
async function auditedBefore(
  { span, closed_holdings, month_pieces, replayed }: Pick<Artifacts, Inputs>,
  audited: Audited,
  { pieces, reference }: StepContext,
): Promise<{ readonly closed?: Piece; readonly since: number }> {
  const { length } = closed_holdings;
  if (length === 0) return { since: -1 };
  const { holdings_until: _, ...parameters } = holdingsParameters(audited);
  const rows = [...closed_holdings, ...month_pieces.slice(0, length), ...replayed.slice(0, length)];
  const closed = await pieces.find('closed-audits', {
    program: cacheKey([fileURLToPath(import.meta.url)], [auditParameters(reference), parameters]),
    rows: rows.map(({ key }) => key),
  });
  return { closed, since: closed.isThere ? span.months[length - 1]!.last : -1 };
}

async function moduleAccountsIn(database: Database): Promise<string> {
  const [found] = await database.all<{ list: string }>(
    'select to_json(list(address order by address))::varchar as list from module_accounts',
  );
  return found!.list;
}

const AUDITED_TABLES: readonly string[] = ['blocks', ...MONTH_TABLES];

type ToAudit = 'span' | 'month_pieces' | 'replayed' | 'priced_events' | 'other_tables' | 'flagged_receipts';

/** Audits every month that has changed, as soon as its wallets are replayed. */
export async function auditMonths(
  { span: { months }, month_pieces, replayed, priced_events, other_tables }: Pick<Artifacts, ToAudit>,
  context: StepContext,
): Promise<Pick<Artifacts, 'audited_months'>> {
  const { database, folder, reference } = context;
  const moduleAccounts = await moduleAccountsIn(database);
  const flags = new Map<string, string>();
  for (const { month, content } of await database.all<SpanMonth>(readSql('tables/flag_digests')))
    flags.set(month, content);
  const opening = `${folder}-opening.parquet`;
  await database.keepSorted('opening_holdings', opening);
  try {
    const monthly = [priced_events, ...other_tables].filter(({ name }) => AUDITED_TABLES.includes(name));
    const positions = replayed.map((piece) => join(piece.folder, 'closing_positions/all.parquet'));
    const whole = ['prices', 'flagged_receipts'].map((name) => ({ name, files: [join(folder, name, 'all.parquet')] }));
    const plan = (month: SpanMonth, { length: i }: readonly ComingPiece[]) => ({
      inputs: {
        month: month.month,
        keys: [month_pieces[i]!.key, replayed[i]!.key],
        flags: flags.get(month.month) ?? null,
      },
      after: replayed.slice(Math.max(0, i - 1), i + 1),
      rows: filesOfMonth(priced_events, month.month).reduce((sum, { rows }) => sum + rows, 0),
      job: (piece: string) => ({
        folder: piece,
        month,
        tables: [
          { name: 'ledger_entries', files: filesOfPiece(replayed[i]!.folder, 'ledger_entries') },
          ...monthly.map((table) => ({
            name: table.name,
            files: filesOfMonth(table, month.month).map(({ path }) => join(folder, path)),
          })),
        ],
        whole,
        positions: positions.slice(Math.max(0, i - 1), i + 1).reverse(),
        opening: i === 0 ? [opening] : [],
        moduleAccounts,
      }),
    });
    // This thread helps after the replay, because it is busy with other steps before.
    const helps = Promise.allSettled(replayed.map(({ made }) => made)).then(() => {});
    const { pieces, all } = await startPieces(context, 'audits', [auditParameters(reference)], months, plan, helps);
    await all;
    return { audited_months: pieces.map((piece) => piece.folder) };
  } finally {
    rmSync(opening, { force: true });
  }
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

/** Maximum number of heights taken from the rows of failed audits. */
const NAMED_MAX = 400;
/** Maximum number of heights that are found by an address or day of failed rows. Each of their blocks is fetched again. */
const RELATED_MAX = 200;

const IDS = ['id', 'entry_id', 'record_id'];

/**
 * Returns the heights of blocks that may have caused failed audits, in two groups. The first group contains the heights
 * in the differing rows. The second group contains the heights of blocks with the same address or day.
 * @param oversized tokens with amounts too large for a column; their rows are missing, which may cause a difference
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
