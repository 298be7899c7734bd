import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../pipeline/config-error.js';
import { takeLock } from '../../pipeline/disk/lock.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-lock-'));
const file = join(folder, 'night.lock');
after(() => rmSync(folder, { recursive: true }));
const lockNight = () => takeLock(folder, 'night', 'a night is running already');

test('a living process keeps its lock until it releases it', () => {
  const release = lockNight();
  assert.throws(() => lockNight(), new ConfigError(`a night is running already: process ${process.pid} (${file})`));
  assert.ok(existsSync(file));
  release();
  assert.deepEqual(readdirSync(folder), []);
});

test('the lock of a dead process is taken over', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(file, `${pid} 12345`);
  lockNight()();
  assert.deepEqual(readdirSync(folder), []);
});

test('the lock of an earlier process with the same id is taken over', () => {
  writeFileSync(file, `${process.pid} 1`);
  lockNight()();
  assert.deepEqual(readdirSync(folder), []);
});

test('a lock without a process is taken over', () => {
  writeFileSync(file, '');
  lockNight()();
  assert.deepEqual(readdirSync(folder), []);
});
