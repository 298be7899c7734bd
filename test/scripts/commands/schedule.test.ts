import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nextNight } from '../../../pipeline/base/disk/run-records.js';
import { loaders, program, run } from '../run-program.js';

const EVERY_SECOND = '* * * * * *';
const NEVER = '0 0 29 2 *';

test('it runs commands and ends on SIGTERM with exit code 0', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const words = ['schedule', '--nightly', NEVER, '--watch-releases', EVERY_SECOND];
  const child = spawn(process.execPath, [...loaders, program, ...words], {
    env: {
      PATH: process.env.PATH,
      HUBLEDGER_DATA_DIR: dataDir,
      HUBLEDGER_GITHUB_API_URL: 'http://127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  while (!output.includes('job has failed')) await once(child.stdout, 'data');
  assert.match(output, /newest release unknown/);
  const next = nextNight.read(dataDir)!.toISOString();
  assert.match(next, /^\d{4}-02-29T00:00:00\.000Z$/, 'others learn when the next night is due');
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null]);
  assert.match(output, /"msg":"closed"\}\n$/);
  assert.equal(nextNight.read(dataDir), undefined);
});

test('holdings are compared with a node if one is configured', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const words = ['schedule', '--nightly', NEVER, '--watch-releases', NEVER, '--verify', EVERY_SECOND];
  for (const urls of ['http://127.0.0.1:1', '']) {
    const child = spawn(process.execPath, [...loaders, program, ...words], {
      env: { PATH: process.env.PATH, HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_LCD_URLS: urls },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    while (!output.includes(urls ? 'job has failed' : 'scheduling')) await once(child.stdout, 'data');
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
    assert.equal(output.includes(`verify: ${EVERY_SECOND}`), urls !== '');
    assert.equal(/"job":"verify".*exit code \d/.test(output), urls !== '', output);
  }
});

/** A module that ends its process as soon as the schedule has announced itself. */
const ENDED_AT_ONCE = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { writeFileSync } = fs;
  fs.writeFileSync = (path, ...rest) => {
    writeFileSync(path, ...rest);
    if (String(path).endsWith('schedule-nightly.next')) process.kill(process.pid, 'SIGTERM');
  };
  syncBuiltinESMExports();
`;

test('a signal during startup ends a scheduler with exit code 0 and leaves nothing behind', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const early = ['--import', `data:text/javascript,${encodeURIComponent(ENDED_AT_ONCE)}`];
  const words = ['schedule', '--nightly', NEVER, '--watch-releases', NEVER];
  const { status, signal } = spawnSync(process.execPath, [...loaders, ...early, program, ...words], {
    env: { PATH: process.env.PATH, HUBLEDGER_DATA_DIR: dataDir },
  });
  assert.deepEqual([status, signal], [0, null]);
  assert.equal(nextNight.read(dataDir), undefined);
});

test('an invalid cron expression is refused', () => {
  const { code, error } = run(['schedule', '--nightly', 'at midnight']);
  assert.equal(code, 2);
  assert.match(error, /^hubledger: --nightly 'at midnight' is invalid: it must be a cron expression/);
});
