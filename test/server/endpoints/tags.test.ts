/** The smallest test of an endpoint, to copy for a new one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TagVocabulary } from '../../../schemas/types.generated.js';
import { sharedServer } from '../harness.js';

const server = sharedServer();

test('lists every reviewed tag with its treatment', async () => {
  const answer = await server.ask('/api/tax/v1/tags');
  const { tags } = answer.json<TagVocabulary>();
  assert.equal(answer.status, 200);
  assert.ok(tags.length > 10);
  assert.deepEqual(
    tags.find(({ tag }) => tag === 'sale'),
    { tag: 'sale', label: 'Sale', treatment: 'Sold: a disposal at market value.' },
  );
});

test('ignores unknown parameters and names them', async () => {
  const answer = await server.ask('/api/tax/v1/tags?colour=red');
  assert.deepEqual([answer.status, answer.json<TagVocabulary>().ignored], [200, ['colour']]);
});
