/** Flags receipts about which the wallet's owner must decide (docs/decisions/flagged-receipts.md). */
import type { DenomMetadata, FlaggedReceipt, UnsolicitedReceipt } from '../../../schemas/types.generated.js';
import { readSql } from '../../base/duckdb/database.js';
import { writeTable } from '../../base/duckdb/table-file.js';
import { mintedDenoms, ReceiptFlags } from '../../classify/receipt-flags.js';
import type { Reference } from '../../reference.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

export async function flagReceipts(
  { start, notes }: Pick<Artifacts, 'start' | 'figures' | 'notes'>,
  { database, folder, reference }: Pick<StepContext, 'database' | 'folder' | 'reference'>,
): Promise<Pick<Artifacts, 'denom_metadata' | 'flagged_receipts'>> {
  await database.create('denom_metadata');
  const metadata = [...metadataBefore(start, reference), ...notes.denomMetadata];
  await database.append('denom_metadata', metadata);
  const denom_metadata = await writeTable(database, 'denom_metadata', folder);
  const flags = new ReceiptFlags(reference, metadata, {
    before: start?.voucherTraces ?? [],
    packets: notes.voucherTraces,
  });
  const { spam } = reference;
  const found = await database.beside(); // a second connection, because one connection cannot append while it streams
  try {
    await found.create('flagged_receipts');
    for await (const batch of database.rows<UnsolicitedReceipt>(
      'unsolicited_receipts',
      'from receipts order by address, height, position',
    )) {
      const flagged = batch.map((receipt) => flags.flag(receipt)).filter((row) => row !== undefined);
      await found.append<FlaggedReceipt>('flagged_receipts', flagged);
    }
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

/** Returns token metadata from the starting state. Omits IBC vouchers, because their names come from transfers. */
function metadataBefore(start: Artifacts['start'], { spam }: Reference): DenomMetadata[] {
  if (!start) return [];
  const { height, identities } = start;
  const patterns = mintedDenoms(spam);
  const minted = identities.filter(({ denom }) => patterns.some((pattern) => pattern.test(denom)));
  return minted.map((identity) => ({ ...identity, height, tx_hash: `block:${height}` }));
}
