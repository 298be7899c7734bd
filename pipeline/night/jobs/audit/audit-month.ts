/** Runs the audits that need only one month's rows, with the lots at its beginning and its end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestTable } from '../../../../schemas/types.generated.js';
import { Database } from '../../../base/duckdb/database.js';
import type { Month } from '../../../base/duckdb/table-file.js';
import { filesOfMonth } from '../../../publish/generation.js';
import { type AuditResult, auditParameters, MONTH_AUDITS, runAudit } from '../../../publish/run-audits.js';
import { loadReference } from '../../../reference.js';
import { writePiece } from '../../pieces.js';

export interface AuditJob {
  readonly folder: string;
  readonly month: Month;
  /** Folder of the unfinished generation. */
  readonly generation: string;
  /** Tables of the generation with a file for each month. */
  readonly tables: readonly Pick<ManifestTable, 'name' | 'files'>[];
  /** Closing positions of this month, and those of the month before; undefined in the first month. */
  readonly positions: readonly [closing: string, earlier: string | undefined];
  /** File of opening_holdings, only in the first month. */
  readonly opening: string | undefined;
  readonly ownAccounts: readonly string[];
}

const verdictsFile = (folder: string) => join(folder, 'verdicts.json');

export const readVerdicts = (folder: string): readonly AuditResult[] =>
  JSON.parse(readFileSync(verdictsFile(folder), 'utf8'));

export const auditMonth = (job: AuditJob): Promise<void> =>
  writePiece(job.folder, async (making) => {
    const results = await resultsOf(making, job);
    writeFileSync(verdictsFile(making), JSON.stringify(results));
  });

async function resultsOf(making: string, job: AuditJob): Promise<AuditResult[]> {
  const { month, generation, tables, positions, opening, ownAccounts } = job;
  const reference = loadReference();
  const database = await Database.open(`${making}-spill`, { threads: 1, memoryLimit: '400MB' });
  try {
    for (const table of tables) {
      const files = filesOfMonth(table, month.month).map(({ path }) => join(generation, path));
      await database.attach(table.name, files);
    }
    for (const table of ['prices', 'flagged_receipts'])
      await database.attach(table, [join(generation, table, 'all.parquet')], `all_${table}`);
    const [closing, earlier] = positions;
    await database.attach('closing_positions', [closing]);
    await database.attach('closing_positions', earlier === undefined ? [] : [earlier], 'earlier_positions');
    await database.attach('opening_balances', opening === undefined ? [] : [opening], 'opening_holdings');
    await database.run('tables/own_accounts', { own_accounts: ownAccounts });
    await database.run('tables/month_to_audit', { first: month.first, last: month.last, month: month.month });
    const parameters = auditParameters(reference);
    const results: AuditResult[] = [];
    for (const audit of MONTH_AUDITS) results.push(await runAudit(database, audit, parameters));
    return results;
  } finally {
    database.close();
  }
}
