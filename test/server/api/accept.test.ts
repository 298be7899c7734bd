import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { acceptsJson } from '../../../server/api/read-dataset.js';
import { LIMITS } from '../../../server/http/limits.js';

const accepts = (accept?: string) => acceptsJson({ headers: { accept } } as IncomingMessage);

test('JSON is told from CSV by its type, and by how much it is wanted', () => {
  for (const accept of ['application/json', 'text/csv;q=0.5, application/json', 'application/*'])
    assert.equal(accepts(accept), true, accept);
  for (const accept of [undefined, '', '*/*', 'text/csv', 'application/json;q=0.5, text/csv'])
    assert.equal(accepts(accept), false, accept);
});

test('a long header is not weighed: one open quote makes that as dear as the square of its commas', () => {
  const { max } = LIMITS.input.accept;
  const padded = (length: number) => 'application/json,'.padEnd(length, ',');
  assert.deepEqual([accepts(padded(max)), accepts(padded(max + 1))], [true, false]);
});
