/** Exact JSON: the pages show the digits that the API wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExact } from '../../../../server/web/api/client.js';

test('figures become texts, other numbers stay numbers', () => {
  const row = parseExact<{ valueUsd: string; height: number; rows: { liquid: string }[] }>(
    '{"valueUsd":0.17,"height":27,"rows":[{"liquid":131.043751}]}',
  );
  assert.deepEqual(row, { valueUsd: '0.17', height: 27, rows: [{ liquid: '131.043751' }] });
});
