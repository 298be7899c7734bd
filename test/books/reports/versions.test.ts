import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherVersions } from '../../../pipeline/books/reports/versions.js';

const made = { methodology_version: '1.0.0', classifier_version: '2' };
const program = (methodology: string, classification: string) => ({
  methodology: { version: methodology },
  classification: { version: classification },
});

test("lists the versions of a dataset that differ from the program's, newer or older", () => {
  assert.deepEqual(otherVersions(made, program('1.0.0', '2')), []);
  assert.deepEqual(otherVersions(made, program('1.1.0', '2')), ['methodology 1.0.0, not 1.1.0']);
  assert.deepEqual(otherVersions(made, program('0.9.0', '10')), [
    'methodology 1.0.0, not 0.9.0',
    'classification 2, not 10',
  ]);
});
