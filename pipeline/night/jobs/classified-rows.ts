/** Reads the classified rows of block ranges. The name of a range's folder contains the first and last height. */
import { basename, join } from 'node:path';
import type { Database } from '../../base/duckdb/database.js';

/** Each table of classified rows, with the member of a classified block that contains its rows. */
export const ROWS = [
  ['chain_events', 'events'],
  ['coin_movements', 'movements'],
  ['transactions', 'transactions'],
  ['supply_changes', 'supplyChanges'],
  ['proposal_ends', 'proposalEnds'],
  ['share_rewards', 'shareRewards'],
  ['validator_names', 'validatorNames'],
] as const;

export const RANGE_TABLES = ROWS.map(([table]) => table);

/** Names for classified tables whose usual name is used by a table that is made from them. */
const CLASSIFIED_NAMES: Readonly<Record<string, string>> = {
  chain_events: 'classified_events',
  coin_movements: 'classified_movements',
  supply_changes: 'classified_supply_changes',
};

interface Heights {
  readonly from?: number;
  readonly to?: number;
}

/** Attaches the classified rows of the blocks with these heights. */
export async function attachRanges(
  database: Database,
  folders: readonly string[],
  { from = 0, to = Number.MAX_SAFE_INTEGER }: Heights,
): Promise<void> {
  const ranges = rangesOf(folders, { from, to });
  for (const table of RANGE_TABLES) {
    const files = ranges.map((folder) => join(folder, `${table}.parquet`));
    const as = CLASSIFIED_NAMES[table] ?? table;
    await database.attach(table, files, as, undefined, `height between ${from} and ${to}`);
  }
}

/** Returns the ranges that contain at least one of the heights. */
export const rangesOf = (folders: readonly string[], { from = 0, to = Number.POSITIVE_INFINITY }: Heights): string[] =>
  folders.filter((folder) => {
    const [first, last] = basename(folder).split('-').map(Number);
    return first! <= to && last! >= from;
  });
