/** Tables of documents match the code: npm run generate. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { DOCUMENT_TABLES, withTables } from '../../../scripts/build/document-tables.js';
import { LIMITS } from '../../../server/http/limits.js';

const read = (page: string) => readFileSync(join(projectRoot(), page), 'utf8');

test('every table of a document is up to date', () => {
  for (const table of DOCUMENT_TABLES) {
    const page = read(table.page);
    assert.equal(page, withTables(page, table), `${table.page}: npm run generate`);
  }
});

test('docs/security.md has every limit', () => {
  const page = read('docs/security.md');
  const rows = page.split('\n').filter((line) => /^\| .* \| [\d,.]+( [A-Za-z ]+)? \|$/.test(line));
  assert.equal(rows.length, Object.values(LIMITS).flatMap(Object.values).length);
  assert.match(page, /^\| URL \| 64 KiB \|$/m);
});

test('a document without a place for the table is an error', () => {
  for (const table of DOCUMENT_TABLES) assert.throws(() => withTables('# Title', table), /no place for the /);
});
