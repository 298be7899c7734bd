import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, startOf } from '../../pipeline/disk/process.js';

test('this process runs, one that has ended does not, and neither does what is no id', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  assert.equal(isAlive(process.pid), true);
  assert.equal(isAlive(pid), false);
  for (const none of [0, -1, 1.5, Number.NaN]) assert.equal(isAlive(none), false);
  assert.equal(startOf(process.pid), startOf(process.pid));
  assert.equal(startOf(pid), '');
});

test('a process that ended but was not waited for does not run', async () => {
  // The shell becomes a program that never waits for the child it has started.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(parent.stdout, 'data');
  const child = Number(String(line));
  for (let i = 0; i < 50 && isAlive(child); i++) await wait(20);
  assert.equal(isAlive(child), false);
  parent.kill();
  await once(parent, 'exit');
});
