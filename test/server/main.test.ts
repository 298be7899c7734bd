import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServingProcess } from './processes/serving.js';
import { publish, WALLETS } from './published.js';

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`the program serves, logs lines of JSON without queries, and ends with 0 on ${signal}`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-main-'));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    await publish(dataDir);
    const serving = await ServingProcess.start({ HUBLEDGER_DATA_DIR: dataDir });
    t.after(() => serving.process.kill('SIGKILL'));
    const answer = await fetch(`${serving.base}/api/tax/v1/events?address=${WALLETS.short}`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"count":7,/);
    assert.deepEqual(await serving.end(signal), [0, null]);
    const request = serving.log.find(({ path }) => path === '/api/tax/v1/events');
    assert.equal(request?.status, 200);
    assert.doesNotMatch(serving.output, /cosmos1/);
    assert.deepEqual(serving.log.at(-1)?.msg, 'closed');
  });
}

/** A program with 40 MB that live, which makes as much again that dies old, ten times over. It says how many times larger it becomes. */
const GROWING = `
  import { collectSooner } from ${JSON.stringify(import.meta.resolve('../../server/main.js'))};
  if (process.argv.includes('sooner')) collectSooner();
  const make = (count) => Array.from({ length: count }, (_, i) => ({ i, text: 't' + i }));
  const live = make(600_000);
  gc();
  const { heapUsed } = process.memoryUsage();
  let most = 0;
  for (let i = 0, dying = []; i < 3000; i++) {
    dying[i % 20] = make(2000);
    most = Math.max(most, process.memoryUsage().heapUsed);
  }
  console.log(live.length > 0 && most / heapUsed);`;

test('memory that was needed once is collected sooner than by V8 itself', () => {
  const growth = (...words: string[]) =>
    Number(
      execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', GROWING, '--', ...words], {
        encoding: 'utf8',
      }),
    );
  // Other processes may disturb a comparison, because V8 marks garbage later on a busy machine.
  const isSooner = () => growth('sooner') < 0.85 * growth();
  assert.ok(isSooner() || isSooner() || isSooner(), 'the heap grows as without it');
});
