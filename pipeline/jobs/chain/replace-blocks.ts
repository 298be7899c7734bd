import { join } from 'node:path';
import type { RawBlock } from '../../../schemas/types.generated.js';
import { type RawRange, rangeOf, rawFolder, replaceRange } from '../../chain/raw-files.js';
import { listFolder, removeFolder } from '../../disk/atomic-files.js';
import type { Database } from '../../duckdb/database.js';
import { writeTableFile } from '../../duckdb/table-file.js';
import { dropFrom, readStart } from '../fold/holdings-folder.js';

/**
 * Replaces stored blocks. The caller holds the night lock. Derived data is removed first, so that an interruption
 * leaves nothing outdated.
 * @param rows ascending, all of stored heights
 * @returns paths of the replaced files
 */
export async function replaceBlocks(
  database: Database,
  dataDir: string,
  chainId: string,
  rows: readonly RawBlock[],
): Promise<string[]> {
  const folder = rawFolder(dataDir, chainId);
  const byFile = new Map<string, { range: RawRange; rows: RawBlock[] }>();
  for (const row of rows) {
    const range = rangeOf(folder, row.height)!;
    if (!byFile.has(range.path)) byFile.set(range.path, { range, rows: [] });
    byFile.get(range.path)!.rows.push(row);
  }
  dropDerived(dataDir, [...byFile.values()]);
  const old: string[] = [];
  for (const { range, rows } of byFile.values()) {
    await database.create('raw_blocks');
    await database.run('tables/append_raw_blocks', { path: range.path });
    await database.run('tables/drop_raw_blocks', { heights: rows.map(({ height }) => String(height)) });
    await database.append('raw_blocks', rows);
    old.push(await replaceRange(range, (path) => writeTableFile(database, 'raw_blocks', path)));
  }
  await database.create('raw_blocks'); // frees memory
  return old;
}

function dropDerived(
  dataDir: string,
  files: readonly { readonly range: RawRange; readonly rows: readonly RawBlock[] }[],
) {
  const classified = join(dataDir, 'classified');
  for (const key of listFolder(classified)) {
    for (const name of listFolder(join(classified, key))) {
      const [, from, to] = /^(\d{10,})-(\d{10,})$/.exec(name) ?? [];
      const isOf = ({ range }: { readonly range: RawRange }) => Number(from) <= range.to && Number(to) >= range.from;
      if (files.some(isOf)) removeFolder(join(classified, key, name));
    }
  }
  const first = Math.min(...files.map(({ rows }) => rows[0]!.height));
  const holdings = join(dataDir, 'holdings');
  for (const key of listFolder(holdings)) {
    const folder = join(holdings, key);
    if (readStart(folder)) dropFrom(folder, first);
  }
}
