/** The step that makes the wallet index: what a wallet's requests are answered from. */
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { buildWalletIndex } from '../publish/build-wallet-index.js';

type Inputs = 'event_lines' | 'priced_events' | 'flagged_receipts' | 'other_tables';

/** Fills the index in the making from tables as they are written, and from the lines of priced_events. */
export async function buildIndex(
  { event_lines, priced_events, flagged_receipts, other_tables }: Pick<Artifacts, Inputs>,
  { folder, indexFolder, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'wallet_index'>> {
  const dataset = { tables: [flagged_receipts, ...other_tables] };
  let done = 0;
  await buildWalletIndex(folder, dataset, indexFolder, event_lines, reference, (rows) => {
    done += rows;
    progress.update(done, priced_events.rows);
  });
  return { wallet_index: indexFolder };
}
