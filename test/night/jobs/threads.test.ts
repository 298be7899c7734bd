/** Errors pass from a worker thread to the main thread. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, isSystemFault } from '../../../pipeline/base/config-error.js';
import { deserializeError, serializeError } from '../../../pipeline/night/jobs/threads.js';

/** Returns the error as the other thread receives it. */
const passedOn = (error: Error) => deserializeError(structuredClone(serializeError(error)));

test('a full disk under a thread is reported in one line, as in the main thread', () => {
  const full = 'IO Error: Could not write file "/data/raw/1.parquet.tmp": No space left on device';
  const system = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  for (const error of [new Error(full), system]) {
    const other = passedOn(error);
    assert.ok(isSystemFault(other));
    assert.equal(other.message, error.message);
  }
});

test('a fault of the program keeps its stack', () => {
  const other = passedOn(new TypeError('x is not a function'));
  assert.equal(other instanceof ConfigError, false);
  assert.match(other.message, /^TypeError: x is not a function\n +at .*threads\.test/);
});
