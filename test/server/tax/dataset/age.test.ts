/** The age of a dataset, and the age at which it is a warning. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ageOf, ageWarning } from '../../../../server/tax/dataset/age.js';

const dataset = { time: '2026-04-14T12:00:00Z' };

test('a dataset is old from a day and a half on, and never younger than its last block', () => {
  assert.equal(ageOf(dataset, new Date('2026-04-14T12:00:01.999Z')), 1);
  assert.equal(ageOf(dataset, new Date('2026-04-14T11:00:00Z')), 0);
  assert.equal(ageWarning(129_600), undefined);
  assert.match(ageWarning(129_601)!, /^the last block is 36 hours old, more than 36: /);
});
