import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ManifestTable } from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { type Database, readSql } from '../../base/duckdb/database.js';
import { writeTable } from '../../base/duckdb/table-file.js';
import { openingHeight } from '../../books/reports/coverage.js';
import { chainFacts } from '../../classify/chain-facts.js';
import { createNoOpeningHoldings } from '../../publish/derived-tables.js';
import { filesOfMonth } from '../../publish/generation.js';
import type { Reference } from '../../reference.js';
import type { Artifacts, ClassifiedRanges, SpanMonth } from '../artifacts.js';
import { rangesOf } from '../jobs/classified-rows.js';
import { MONTH_TABLES, type MonthInputs, type MonthSets } from '../jobs/months/make-month.js';
import { makePieces } from '../jobs/run-jobs.js';
import type { StepContext } from '../night.js';
import { linkTable, noteTables } from '../pieces.js';
import type { Eventual } from '../run-steps.js';
import { carryFacts, type Facts } from './carry-facts.js';
import { FIGURES, figureParameters } from './dataset-figures.js';

type Inputs = 'start' | 'span' | 'classified' | 'folded' | 'facts' | 'holdings' | 'tracked_wallets' | 'prices';
type Outputs = 'month_pieces' | 'priced_events' | 'month_tables' | 'figures' | 'closed_figures';

/** Makes the tables of each month that has changed. Reuses the tables of all other months by hard links. */
export async function makeMonths(
  { start, span, classified, folded, tracked_wallets }: Pick<Artifacts, Inputs>,
  context: StepContext,
): Promise<Eventual<Pick<Artifacts, Outputs>>> {
  const { database, folder, pieces, reference } = context;
  const { months } = span;
  const setsOf = await monthSets(database, reference);
  const contents = new Map<string, string>();
  for (const { month, content } of await database.all<SpanMonth>(readSql('tables/month_digests')))
    contents.set(month, content);
  const { assets, categories, chain, contracts } = reference;
  const blocks: string[] = [];
  for (const month of months) blocks.push(await blocksOf(month, context));
  const wallets = tracked_wallets && { tracked_wallets: tracked_wallets.map(({ address }) => address) };
  const inputs = `${folder}-inputs`;
  mkdirSync(inputs);
  const month_pieces = await makePieces(context, 'months', [assets, categories, chain, contracts], months, (month) => {
    const sets = { ...setsOf(month), ...wallets };
    return {
      inputs: { classified: classified.key, month, sets, content: contents.get(month.month) ?? null },
      job: async (piece) => ({
        folder: piece,
        month,
        ranges: rangesOf(classified.indexed, { from: month.first, to: month.last }),
        sets,
        inputs: await exportInputs(database, month, join(inputs, month.month)),
      }),
    };
  }).finally(() => rmSync(inputs, { recursive: true }));
  const made = month_pieces.map(({ folder: path }) => path);
  const [priced_events, ...others] = MONTH_TABLES.map((name) => linkTable(name, made, folder)) as [
    ManifestTable,
    ...ManifestTable[],
  ];
  for (const { name, files } of [priced_events, ...others]) {
    await database.attach(
      name,
      files.map(({ path }) => join(folder, path)),
    );
  }
  const month_tables = [linkTable('blocks', blocks, folder), ...others];
  if (start && folded) {
    const opening = openingHeight({ first_height: span.first, starting_height: start.height });
    await database.run('tables/opening_holdings', { native: chain.native_denom, opening, rows: 'priced_events' });
  } else await createNoOpeningHoldings(database);
  // The replay of wallets needs no figures, so it starts before them.
  const sources = { events: priced_events, folder, whole: tracked_wallets && classified };
  const closed_figures = carryFacts(database, pieces, months, figuresOf(database, sources, reference));
  const figures = closed_figures.then(() => 'figures');
  return { month_pieces, priced_events, month_tables, figures, closed_figures };
}

interface AtHeight {
  readonly id: string;
  readonly height: number;
}

/**
 * Returns a function that selects the accounts, denoms and ids of one month from those of the whole dataset. So a
 * change elsewhere does not change this month's key.
 */
async function monthSets(
  database: Database,
  { chain, contracts }: Pick<Reference, 'chain' | 'contracts'>,
): Promise<(month: SpanMonth) => MonthSets> {
  const { moduleAccounts } = chainFacts(chain, contracts);
  const records = await database.all<{ month: string; address: string }>(
    'from long_accounts semi join module_accounts using (address) order by address',
  );
  const oversized = await database.all<{ month: string; denom: string }>(
    'from denoms semi join oversized_denoms using (denom) order by denom',
  );
  const notRefunds = await database.all<AtHeight>('from not_refunds order by id');
  const notCommissions = await database.all<AtHeight>('from not_commissions order by id');
  const idsOf = (rows: readonly AtHeight[], { first, last }: SpanMonth) =>
    rows.filter(({ height }) => height >= first && height <= last).map(({ id }) => id);
  return (month) => ({
    module_accounts: JSON.stringify([
      ...moduleAccounts,
      ...records.filter((record) => record.month === month.month).map(({ address }) => address),
    ]),
    oversized: oversized.filter((token) => token.month === month.month).map(({ denom }) => denom),
    not_refunds: idsOf(notRefunds, month),
    not_commissions: idsOf(notCommissions, month),
  });
}

async function blocksOf(month: SpanMonth, { database, pieces }: StepContext): Promise<string> {
  const write = async (folder: string) => noteTables(folder, [await writeTable(database, 'blocks', folder, [month])]);
  return (await pieces.make('blocks', month, write)).folder;
}

async function exportInputs(database: Database, month: SpanMonth, path: string): Promise<MonthInputs> {
  const { first, last } = month;
  const files = {
    states: `${path}-states.parquet`,
    corrections: `${path}-corrections.parquet`,
    prices: `${path}-prices.parquet`,
  };
  await database.run('tables/month_inputs', { first, last, month: month.month, ...files });
  return files;
}

interface FigureSources {
  readonly events: ManifestTable;
  readonly folder: string;
  /** Classified rows of all wallets in the fetched blocks; only in runs over single wallets. */
  readonly whole: ClassifiedRanges | undefined;
}

function figuresOf(database: Database, { events, folder, whole }: FigureSources, reference: Reference): Facts {
  const filesOf = ({ month }: Pick<SpanMonth, 'month'>) => filesOfMonth(events, month);
  const parameters = figureParameters(reference);
  return {
    step: 'figures',
    program: cacheKey([fileURLToPath(import.meta.url)], [parameters, whole?.key]),
    tables: FIGURES,
    monthly: 'receipts',
    sql: ['tables/month_figures', 'tables/unsolicited_receipts'],
    parameters,
    rowsOf: (month) => [...filesOf(month).map(({ sha256 }) => sha256), ...(whole ? [month.content] : [])],
    attach: async (month) => {
      const files = filesOf(month).map(({ path }) => join(folder, path));
      await database.attach('priced_events', files, 'month_events');
      const ranges = rangesOf(whole?.indexed ?? [], { from: month.first, to: month.last });
      await database.attach(
        'chain_events',
        ranges.map((range) => join(range, 'chain_events.parquet')),
        'whole_blocks',
      );
    },
  };
}
