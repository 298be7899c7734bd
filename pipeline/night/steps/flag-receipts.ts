/** Flags receipts about which the wallet's owner must decide (docs/decisions/rows.md, "Flagged receipts"). */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DenomMetadata, FlaggedReceipt, UnsolicitedReceipt } from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { readSums } from '../../base/disk/sealed-folder.js';
import { type Database, readSql } from '../../base/duckdb/database.js';
import { writeTable } from '../../base/duckdb/table-file.js';
import { mintedDenoms, ReceiptFlags } from '../../classify/receipt-flags.js';
import type { Reference } from '../../reference.js';
import type { Artifacts, SpanMonth } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { factsFile } from './carry-facts.js';

interface Inputs extends Pick<Artifacts, 'start' | 'figures' | 'closed_figures' | 'notes'> {
  readonly span: { readonly months: readonly Pick<SpanMonth, 'month'>[] };
}

type Context = Pick<StepContext, 'database' | 'folder' | 'pieces' | 'reference'>;

export async function flagReceipts(
  { start, span: { months }, closed_figures, notes }: Inputs,
  context: Context,
): Promise<Pick<Artifacts, 'denom_metadata' | 'flagged_receipts'>> {
  const { database, folder, reference } = context;
  await database.create('denom_metadata');
  const metadata = [...metadataBefore(start, reference), ...notes.denomMetadata];
  await database.append('denom_metadata', metadata);
  const denom_metadata = await writeTable(database, 'denom_metadata', folder);
  const flags = new ReceiptFlags(reference, metadata, {
    before: start?.voucherTraces ?? [],
    packets: notes.voucherTraces,
  });
  const files = closed_figures.map((piece) => factsFile(piece, 'receipts'));
  await database.attach('unsolicited_receipts', files, 'closed_receipts');
  await database.run('tables/receipts');
  const { spam } = reference;
  const found = await database.beside(); // another connection, because a connection cannot append while it streams
  try {
    await found.create('flagged_receipts');
    const closed = await flagClosedMonths(flags, { found, months, closed_figures }, context);
    await found.attach('flagged_receipts', closed, 'closed_flags');
    await found.execute('insert into flagged_receipts by name from closed_flags');
    await flagRows(flags, database, 'month_receipts', found, 'flagged_receipts');
    const repeated = database.rows<UnsolicitedReceipt>('unsolicited_receipts', readSql('tables/repeated_dust'), {
      categories: spam.dust.repeated.categories,
      part: spam.dust.repeated.part,
      receivers: spam.dust.receivers,
    });
    for await (const batch of repeated) {
      const flagged = batch.map((receipt) => flags.repeatedDust(receipt));
      await found.append<FlaggedReceipt>('flagged_receipts', flagged);
    }
    return { denom_metadata, flagged_receipts: await writeTable(found, 'flagged_receipts', folder) };
  } finally {
    found.close();
  }
}

interface ClosedMonths extends Pick<Artifacts, 'closed_figures'> {
  readonly found: Database;
  readonly months: Inputs['span']['months'];
}

/**
 * Flags the receipts of each closed month whose receipts or tokens have changed. Does not flag repeated dust, because
 * repetition is counted over all months.
 * @returns a file of flagged receipts for each month
 */
async function flagClosedMonths(
  flags: ReceiptFlags,
  { found, months, closed_figures }: ClosedMonths,
  { database, pieces, reference: { assets, spam, confusables } }: Context,
): Promise<string[]> {
  const program = cacheKey([fileURLToPath(import.meta.url)], [assets, spam, confusables]);
  const unlisted = await database.all<{ month: string; denom: string }>(readSql('tables/unlisted_denoms'));
  const files: string[] = [];
  for (const [i, figures] of closed_figures.entries()) {
    const receipts = factsFile(figures, 'receipts');
    const denoms = unlisted.filter(({ month }) => month === months[i]!.month).map(({ denom }) => denom);
    const tokens = denoms.map((denom) => [denom, flags.token(denom)]);
    const inputs = { program, receipts: readSums(figures.folder)!['receipts.parquet']!.sha256, tokens };
    const piece = await pieces.make('flags', inputs, async (making) => {
      await database.attach('unsolicited_receipts', [receipts], 'receipts_of_month');
      await found.create('flagged_receipts', 'month_flags');
      await flagRows(flags, database, 'receipts_of_month', found, 'month_flags');
      await found.keepSorted('month_flags', join(making, 'flagged_receipts.parquet'));
    });
    files.push(join(piece.folder, 'flagged_receipts.parquet'));
  }
  return files;
}

async function flagRows(
  flags: ReceiptFlags,
  database: Database,
  receipts: string,
  found: Database,
  as: string,
): Promise<void> {
  for await (const batch of database.rows<UnsolicitedReceipt>('unsolicited_receipts', `from ${receipts}`)) {
    const flagged = batch.map((receipt) => flags.flag(receipt)).filter((row) => row !== undefined);
    await found.append<FlaggedReceipt>('flagged_receipts', flagged, as);
  }
}

/** Returns token metadata from the starting state. Omits IBC vouchers, whose names come from transfers instead. */
function metadataBefore(start: Artifacts['start'], { spam }: Reference): DenomMetadata[] {
  if (!start) return [];
  const { height, identities } = start;
  const patterns = mintedDenoms(spam);
  const minted = identities.filter(({ denom }) => patterns.some((pattern) => pattern.test(denom)));
  return minted.map((identity) => ({ ...identity, height, tx_hash: `block:${height}` }));
}
