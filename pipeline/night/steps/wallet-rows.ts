import { buildOpenLayer, planIndex } from '../../publish/build-wallet-index.js';
import { filesOfMonth } from '../../publish/generation.js';
import { ensureBaseLayers } from '../../publish/place-wallet-index.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

type Inputs = 'start' | 'span' | 'priced_events' | 'flagged_receipts' | 'other_tables';

/** Builds the open layer of the wallet index. Also builds the base layers that earlier runs have not built. */
export async function buildIndex(
  { start, span, priced_events, flagged_receipts, other_tables }: Pick<Artifacts, Inputs>,
  { config, folder, indexFolder, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'wallet_index'>> {
  const coverage = { first_height: span.first, starting_height: start?.height ?? null };
  const manifest = { tables: [priced_events, flagged_receipts, ...other_tables], coverage };
  const plan = await planIndex({ folder, manifest, reference }, `${indexFolder}-spill`);
  const base = await ensureBaseLayers(config.dataDir, plan);
  const files = filesOfMonth(priced_events, span.months.at(-1)!.month);
  const total = files.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  const onRows = (rows: number) => {
    done += rows;
    progress.update(done, total);
  };
  await buildOpenLayer(plan, indexFolder, base, { onRows });
  return { wallet_index: indexFolder };
}
