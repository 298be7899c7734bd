/**
 * `hubledger explain`: shows the event, payment and block from which a row was made, and its journal entries and lots.
 */
import { type Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../../pipeline/base/config-error.js';
import { readConfig } from '../../pipeline/config.js';
import { loadReference } from '../../pipeline/reference.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { readAddresses } from '../../server/tax/parameters/addresses.js';
import { booksAround, denomsOf } from '../explain/books.js';
import { PublishedDataset } from '../explain/dataset.js';
import { describe, movement } from '../explain/describe.js';

function wallet(text: string): string {
  const [address] = readAddresses([text], loadReference().chain.bech32_prefix, (message) => {
    throw new InvalidArgumentError(`It must be an address: ${message}.`);
  });
  return address!;
}

/** Explains one row. Without an id, lists the wallet's rows. */
async function explain(address: string, id: string | undefined): Promise<void> {
  const config = readConfig();
  const reference = loadReference();
  const dataset = await PublishedDataset.open(config.dataDir, reference);
  try {
    const rows = await dataset.rows(address);
    if (rows.length === 0) throw new ConfigError(`${address} has no rows in ${dataset.manifest.generation}`);
    if (id === undefined) {
      for (const row of rows) console.log([row.id, row.time, row.category, movement(row, reference.rules)].join('\t'));
    } else console.log(await explainRow(dataset, rows, id, reference));
  } finally {
    dataset.close();
  }
}

/** @throws ConfigError if the wallet has no such row */
export async function explainRow(
  dataset: PublishedDataset,
  rows: readonly PricedEvent[],
  id: string,
  { rules }: ReturnType<typeof loadReference>,
): Promise<string> {
  const row = rows.find((other) => other.id === id);
  if (!row) throw new ConfigError(`${rows[0]!.address} has no row ${id}`);
  const day = row.time.slice(0, 10);
  const unreached = dataset.manifest.unreached_prices?.filter(({ days }) => days.includes(day)) ?? [];
  const explanation = {
    row,
    origin: await dataset.origin(row),
    prices: await dataset.prices(denomsOf(row), day),
    unreached: unreached.map(({ denom }) => denom),
    books: booksAround(row, rows, await dataset.opening(row.address), rules),
  };
  return describe(explanation, rules);
}

export const examples = ['cosmos1…', 'cosmos1… <row id>'];

export function declare(command: Command): void {
  command
    .argument('<address>', 'wallet', wallet)
    .argument('[row id]', 'id of one of its rows; default: list all rows')
    .action(explain);
}
