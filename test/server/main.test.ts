import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { publish, WALLETS } from './published.js';

const CHILD = join(import.meta.dirname, `serve-child${extname(import.meta.filename)}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`the program serves, logs lines of JSON without queries, and ends with 0 on ${signal}`, async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-main-'));
    t.after(() => rmSync(dataDir, { recursive: true, force: true }));
    await publish(dataDir);
    const child = spawn(process.execPath, [...process.execArgv, CHILD], {
      env: { PATH: process.env.PATH, HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    const lines = (): Record<string, unknown>[] =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const listening = () => lines().find(({ msg }) => msg === 'listening');
    while (!listening()) await once(child.stdout, 'data');
    const answer = await fetch(`http://127.0.0.1:${listening()!.port}/api/tax/v1/events?address=${WALLETS.short}`);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"count":7,/);
    child.kill(signal);
    assert.deepEqual(await once(child, 'close'), [0, null]);
    const request = lines().find(({ path }) => path === '/api/tax/v1/events');
    assert.equal(request?.status, 200);
    assert.doesNotMatch(text, /cosmos1/);
    assert.deepEqual(lines().at(-1)?.msg, 'closed');
  });
}
