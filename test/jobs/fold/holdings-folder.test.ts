import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  checkpointFile,
  dropLater,
  finalFolder,
  lastCheckpoint,
  listFinalRows,
  openFolder,
  startFile,
  startFolder,
  tidyHoldings,
} from '../../../pipeline/jobs/fold/holdings-folder.js';

/** A fold that went from its start to 20 and on to 35. */
function folded(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-fold-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const path of [startFolder(folder), finalFolder(folder, 11, 20), finalFolder(folder, 21, 35)]) {
    mkdirSync(path);
    writeFileSync(checkpointFile(path), '');
  }
  writeFileSync(startFile(startFolder(folder)), JSON.stringify({ chainId: 'a-1', height: 10, oversized: [] }));
  for (const height of [20, 36]) mkdirSync(openFolder(folder, height));
  return folder;
}

test('a fold goes on from its last part, and keeps no more than that needs', (context) => {
  const folder = folded(context);
  assert.deepEqual(
    listFinalRows(folder).map(({ from, to }) => [from, to]),
    [
      [11, 20],
      [21, 35],
    ],
  );
  assert.deepEqual(lastCheckpoint(folder), { height: 35, path: finalFolder(folder, 21, 35) });
  tidyHoldings(folder, 36);
  assert.equal(existsSync(checkpointFile(finalFolder(folder, 11, 20))), false);
  assert.deepEqual(readdirSync(folder).sort(), [
    '0000000011-0000000020',
    '0000000021-0000000035',
    'open-0000000036',
    'start',
  ]);
});

test('rows of later blocks go with everything that was folded on the way to them', (context) => {
  const folder = folded(context);
  dropLater(folder, 35);
  assert.equal(listFinalRows(folder).length, 2);
  dropLater(folder, 34);
  assert.deepEqual(listFinalRows(folder), []);
  assert.deepEqual(lastCheckpoint(folder), { height: 10, path: startFolder(folder) });
});
