/** Faults of a form in sentences. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../../../server/web/values/explain.js';

const problem = (errors?: { path: string; message: string }[]) =>
  ({ status: 422, code: 'validation_failed', errors }) as Parameters<typeof explain>[0];

test('each fault is a sentence that begins with the name of its field', () => {
  assert.equal(explain(problem([{ path: 'url', message: 'must be an https URL' }])), 'The URL must be an https URL.');
  const two = [
    { path: 'note', message: 'must name the country' },
    { path: 'scopes/1', message: 'is invalid' },
    { path: 'other', message: 'is required' },
  ];
  assert.equal(
    explain(problem(two)),
    'The note must name the country. The list of permissions is invalid. other is required.',
  );
});

test('a problem without faults is told by its detail elsewhere', () => {
  assert.equal(explain(problem()), undefined);
  assert.equal(explain(problem([])), undefined);
});
