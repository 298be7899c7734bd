/** A table whose rows are long: it is sorted in less memory than it has bytes. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeTableFile } from '../../../pipeline/base/duckdb/table-file.js';
import { openDatabase } from '../../open-database.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-long-rows-'));
after(() => rmSync(folder, { recursive: true }));

test('long rows are sorted in little memory, to the same bytes whatever the number of threads', async () => {
  const count = 90_000;
  const bytes: string[] = [];
  for (const [threads, of] of [
    [1, 'i'],
    [2, `(${count} - 1 - i)`],
  ] as const) {
    const database = await openDatabase({ threads, memoryLimit: '125MB' });
    await database.execute(`create view delegation_intervals as
      select
        format('cosmos1{:06d}', ${of} // 3) as delegator, 'cosmosvaloper' || (${of} % 3) as validator, 0 as from_height,
        null::bigint as to_height, 1::decimal(38, 18) as shares, 1::decimal(38, 18) as stake, ${of} as start_period,
        list_transform(range(20), lambda n: {
          denom: 'ibc/' || md5(n::varchar) || md5(n::varchar), ratio: (${of} * (n + 1))::decimal(38, 18) / 7
        }) as start_ratio
      from range(${count}) as numbers(i)`);
    const path = join(folder, `long-${threads}.parquet`);
    await writeTableFile(database, 'delegation_intervals', path, 'open');
    const [found] = await database.all<{ rows: number; ordered: boolean }>(
      `select count(*) as rows, bool_and(start_period = file_row_number) as ordered
      from read_parquet('${path}', file_row_number = true)`,
    );
    assert.deepEqual(found, { rows: count, ordered: true });
    bytes.push(readFileSync(path).toString('base64'));
    database.close();
  }
  assert.ok(bytes[0] === bytes[1]);
});
