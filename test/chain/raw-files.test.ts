import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listRanges, paddedHeight, tidyFolder } from '../../pipeline/chain/raw-files.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-raw-'));
after(() => rmSync(folder, { recursive: true }));

test('of 10,000 files, those within another one are left out and removed', () => {
  const place = (from: number, to: number) =>
    writeFileSync(join(folder, `${paddedHeight(from)}-${paddedHeight(to)}.parquet`), '');
  const kept: [number, number][] = [];
  for (let first = 1; kept.length < 10_000; first += 500) {
    kept.push([first, first + 499]);
    place(first, first + 499);
    // A killed run leaves the parts of a file: its start, its middle or its end.
    if (kept.length % 100 === 0) {
      place(first, first + 99);
      place(first + 100, first + 199);
      place(first + 200, first + 499);
    }
  }
  place(12_345_678_901, 12_345_679_000); // an eleventh digit sorts as text before shorter heights
  kept.push([12_345_678_901, 12_345_679_000]);
  writeFileSync(join(folder, '0000000001-0000000500.parquet.tmp'), '');
  assert.deepEqual(
    listRanges(folder).map(({ from, to }) => [from, to]),
    kept,
  );
  tidyFolder(folder);
  assert.equal(readdirSync(folder).length, kept.length);
  assert.deepEqual(listRanges(join(folder, 'absent')), []);
});
