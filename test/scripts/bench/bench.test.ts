import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import { readConfig } from '../../../pipeline/config.js';
import { bench } from '../../../scripts/bench/bench.js';

/** Makes a recording of the first blocks of the sample. */
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
    mixedRequests: 100,
  });
  assert.equal(measures.length, 24);
  for (const { what, figure, against = [] } of measures) {
    // The slope of a single short round may drown in noise; everything else is a plain quantity.
    if (what !== 'night, a block more')
      assert.ok(
        [{ figure }, ...against].every((each) => each.figure > 0),
        what,
      );
  }
  assert.equal(said.mock.calls.length, 1);
});

test('an unknown part is an error before anything is measured', async () => {
  await assert.rejects(bench(readConfig({}), { only: 'weather' }), ConfigError);
});

test('a further night on a grown chain has a figure for each step', async (context) => {
  const said = context.mock.method(console, 'log', () => {});
  await bench(readConfig({}), { recording: shortRecording(context, 400), only: 'growth', times: 2 });
  const [tables] = said.mock.calls[0]!.arguments as [string];
  for (const kind of ['CPU seconds', 'wall seconds', 'peak MiB', 'MB written'])
    assert.match(tables, new RegExp(`^${kind}`, 'm'));
  assert.match(tables, /^replay wallets +\d+\.\d\d/m);
});
