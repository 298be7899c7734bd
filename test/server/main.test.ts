import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServingProcess } from './processes/serving.js';
import { publish, WALLETS } from './published.js';

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
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
