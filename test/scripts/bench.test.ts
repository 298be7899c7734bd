import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readConfig } from '../../pipeline/config.js';
import { projectRoot } from '../../pipeline/project.js';
import { median, percentile } from '../../scripts/bench/measured.js';
import { bench, formatTable } from '../../scripts/bench.js';

test('the median of an even number of figures is the mean of the middle two', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});

test('a percentile is a value that so large a part of them does not exceed', () => {
  const values = Array.from({ length: 200 }, (_, i) => 200 - i);
  assert.equal(percentile(values, 0.99), 198);
  assert.equal(percentile([3, 1, 2], 0.5), 2);
  assert.equal(percentile([7], 0.99), 7);
});

test('the table stands in columns and shows a ratio where there is something beside', () => {
  const table = formatTable([
    { what: 'night', figure: 3, unit: 'ms', against: { what: 'parsing', figure: 2 } },
    { what: 'replay', figure: 512_345.6, unit: 'events/s' },
  ]);
  assert.equal(table, 'night               3 ms  2 ms  1.5 ×  against parsing\nreplay  512,346 events/s');
});

/** The first blocks of the sample as a recording of its own. */
function shortRecording(context: TestContext, blocks: number): string {
  const sample = join(projectRoot(), 'data/sample');
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  context.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'blocks'));
  const lines = gunzipSync(readFileSync(join(sample, 'blocks/1-500.jsonl.gz')))
    .toString()
    .split('\n')
    .slice(0, blocks);
  writeFileSync(join(folder, `blocks/1-${blocks}.jsonl.gz`), gzipSync(`${lines.join('\n')}\n`));
  const status = JSON.parse(readFileSync(join(sample, 'status.json'), 'utf8'));
  status.sync_info.latest_block_height = String(blocks);
  writeFileSync(join(folder, 'status.json'), JSON.stringify(status));
  return folder;
}

test('every figure of a short run is a positive number', async (context) => {
  const said = context.mock.method(console, 'log', () => {});
  const measures = await bench(readConfig({}), {
    recording: shortRecording(context, 100),
    rounds: 1,
    milliseconds: 30,
    generated: { delegations: 2000, blocks: 20 },
  });
  assert.equal(measures.length, 35);
  for (const { what, figure, against } of measures) {
    // The slope of a single short round may drown in noise; everything else is a plain quantity.
    if (what !== 'night, a block more') assert.ok(figure > 0 && (against?.figure ?? 1) > 0, what);
  }
  assert.equal(said.mock.calls.length, 1);
});
