/** Runs the audits that need only one month's rows and the lots at its beginning and end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database } from '../../../base/duckdb/database.js';
import type { Month } from '../../../base/duckdb/table-file.js';
import { makeReferenceTables } from '../../../publish/derived-tables.js';
import { type AuditResult, auditParameters, MONTH_AUDITS, runAudit } from '../../../publish/run-audits.js';
import { loadReference } from '../../../reference.js';
import { writePiece } from '../../pieces.js';

export interface AuditJob {
  readonly folder: string;
  readonly month: Month;
  /** The month's tables. */
  readonly tables: readonly TableFiles[];
  /** Tables that are not split by month. */
  readonly whole: readonly TableFiles[];
  /** Files of the closing positions of this month and of the previous month, if there is one. */
  readonly positions: readonly string[];
  /** File of opening_holdings; only for the first month. */
  readonly opening: readonly string[];
  /** JSON list of addresses. */
  readonly moduleAccounts: string;
}

interface TableFiles {
  readonly name: string;
  readonly files: readonly string[];
}

/**
 * Path of the file with all names in the month's rows. A later audit checks that reference tables contain these names.
 */
export const namesFile = (folder: string) => join(folder, 'row_names.parquet');

const verdictsFile = (folder: string) => join(folder, 'verdicts.json');

export const readVerdicts = (folder: string): readonly AuditResult[] =>
  JSON.parse(readFileSync(verdictsFile(folder), 'utf8'));

export const auditMonth = (job: AuditJob): Promise<void> =>
  writePiece(job.folder, async (making) => {
    const results = await resultsOf(making, job);
    writeFileSync(verdictsFile(making), JSON.stringify(results));
  });

async function resultsOf(making: string, job: AuditJob): Promise<AuditResult[]> {
  const { month, tables, whole, positions, opening, moduleAccounts } = job;
  const reference = loadReference();
  const database = await Database.open(`${making}-spill`, { threads: 1, memoryLimit: '400MB' });
  try {
    for (const { name, files } of tables) await database.attach(name, files);
    for (const { name, files } of whole) await database.attach(name, files, `all_${name}`);
    await database.attach('closing_positions', positions.slice(0, 1));
    await database.attach('closing_positions', positions.slice(1), 'earlier_positions');
    await database.attach('opening_balances', opening, 'opening_holdings');
    await database.run('tables/module_accounts', { module_accounts: moduleAccounts });
    await database.run('tables/month_to_audit', { first: month.first, last: month.last, month: month.month });
    await makeReferenceTables(database, reference, 'tables/priced_denoms');
    const parameters = auditParameters(reference);
    const results: AuditResult[] = [];
    for (const audit of MONTH_AUDITS) results.push(await runAudit(database, audit, parameters));
    await database.run('tables/row_names');
    await database.keepSorted('row_names', namesFile(making));
    return results;
  } finally {
    database.close();
  }
}
