import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/project.js';
import { withLimits } from '../../../scripts/build/limits-table.js';
import { LIMITS } from '../../../server/limits.js';

const page = readFileSync(join(projectRoot(), 'docs/security.md'), 'utf8');

test('the tables of limits in docs/security.md have the figures of the code: npm run generate', () => {
  assert.equal(page, withLimits(page));
  const rows = page.split('\n').filter((line) => /^\| .* \| [\d,.]+( [A-Za-z ]+)? \| /.test(line));
  assert.equal(rows.length, Object.values(LIMITS).flatMap(Object.values).length);
  assert.match(page, /\| URL \| 64 KiB \| /);
});

test('a document without a place for them is refused', () => {
  assert.throws(() => withLimits('# Security'), /no place for the limits/);
});
