import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLines, writeLines } from '../../../pipeline/base/disk/lines.js';

test('lines come back as they were written, wherever a read ends', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-lines-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'lines');
  const lines = Array.from({ length: 3000 }, (_, i) => `${i} ${'é€😀'.repeat(i % 301)}`);
  writeLines(path, lines);
  assert.deepEqual([...readLines(path)], lines);
  assert.throws(() => writeLines(path, []), { code: 'EEXIST' });
});
