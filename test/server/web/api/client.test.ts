/** Exact JSON: the pages show the digits that the API wrote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get } from '../../../../server/web/api/client.js';

test('figures become texts, other numbers stay numbers', async (t) => {
  const json = '{"valueUsd":0.17,"height":27,"rows":[{"liquid":131.043751}]}';
  t.mock.method(globalThis, 'fetch', async () => new Response(json));
  const row = await get<{ valueUsd: string; height: number; rows: { liquid: string }[] }>('/api/row');
  assert.deepEqual(row, { valueUsd: '0.17', height: 27, rows: [{ liquid: '131.043751' }] });
});
