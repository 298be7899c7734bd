import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { claimInFolder } from '../../scripts/schedule/claims.js';
import { type Job, startSchedule } from '../../scripts/schedule.js';
import { loaders, program, run } from './run-program.js';

const EVERY_SECOND = '* * * * * *';
const NEVER = '0 0 29 2 *';
const silent = pino({ level: 'silent' });

test('two schedulers at once run every time of a job once; a failure does not end them', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const times: string[] = [];
  let enough = () => {};
  const ran = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const claim = claimInFolder(dataDir);
  const job: Job = {
    name: 'tick',
    times: EVERY_SECOND,
    async run() {
      if (times.length >= 2) enough();
      throw new Error('it fails');
    },
  };
  const noted: typeof claim = (name, time, work) =>
    claim(name, time, () => {
      times.push(time.toISOString());
      return work();
    });
  const ends = [startSchedule([job], noted, silent), startSchedule([job], noted, silent)];
  await ran;
  await Promise.all(ends.map((end) => end()));
  assert.equal(new Set(times).size, times.length, times.join(' '));
});

test('ending waits for what runs, and asks it to end', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-schedule-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const steps: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const job: Job = {
    name: 'long',
    times: EVERY_SECOND,
    async run(signal) {
      begin();
      await once(signal, 'abort');
      steps.push('asked to end');
    },
  };
  const end = startSchedule([job], claimInFolder(dataDir), silent);
  await begun;
  await end();
  assert.deepEqual(steps, ['asked to end']);
});

test('the program runs its commands and ends on SIGTERM with exit code 0', async (t) => {
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
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null]);
  assert.match(output, /"msg":"closed"\}\n$/);
});

test('a time that is none is refused', () => {
  const { code, error } = run(['schedule', '--nightly', 'at midnight']);
  assert.equal(code, 1);
  assert.match(error, /'--nightly <cron>' argument 'at midnight' is invalid\. It must be a cron expression/);
});
