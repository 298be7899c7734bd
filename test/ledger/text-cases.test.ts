import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../pipeline/project.js';
import { entriesOf, positionsAt, readCases } from './text-cases.js';

const folder = join(projectRoot(), 'test/ledger');

for (const file of readdirSync(folder).filter((name) => name.endsWith('.test'))) {
  for (const one of readCases(readFileSync(join(folder, file), 'utf8'))) {
    test(`${file}: ${one.title}`, () => {
      assert.deepEqual(entriesOf(one), one.entries);
      for (const { day, rows } of one.positions) assert.deepEqual(positionsAt(one, day), rows);
    });
  }
}
