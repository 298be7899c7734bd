/** The step that puts prices beside events, and writes them twice: as a published table, and as lines to read wallet by wallet. */
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { eventLinesFile, writeEventLines } from '../publish/wallet-batches.js';
import { writeTable } from '../publish/write-table.js';

/** Makes priced_events in the database and in the generation's folder, and its rows as lines. */
export async function priceEvents(
  { span }: Pick<Artifacts, 'span' | 'chain_events' | 'holdings' | 'prices'>,
  { database, folder, indexFolder }: StepContext,
): Promise<Pick<Artifacts, 'priced_events' | 'event_lines'>> {
  await database.run('tables/priced_events');
  const priced_events = await writeTable(database, 'priced_events', folder, span.months);
  const event_lines = eventLinesFile(indexFolder);
  await writeEventLines(database, event_lines);
  return { priced_events, event_lines };
}
