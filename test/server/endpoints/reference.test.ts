import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { sharedServer } from '../harness.js';

const reference = loadReference();

const server = sharedServer();

test('/methodology serves the methodology in force', async () => {
  const answer = await server.ask('/api/tax/v1/methodology');
  assert.deepEqual(answer.json(), { ...reference.methodology, corrections: [], starting_differences: [] });
});

test('/recognition-policy: income when a reward is withdrawn', async () => {
  const answer = await server.ask('/api/tax/v1/recognition-policy');
  assert.equal(answer.json().policy, 'at-claim');
  assert.match(answer.json().explanation, /constructive receipt/);
  assert.deepEqual(answer.json(), reference.recognitionPolicy);
});

test('/tags lists every tag, how to say it and what it does', async () => {
  const { key_forms, tags, usage } = (await server.ask('/api/tax/v1/tags?chain=cosmoshub')).json();
  assert.deepEqual(key_forms.slice(0, 2), ['<TX_HASH>', '<TX_HASH>:<denom>']);
  assert.deepEqual(
    tags,
    reference.tags.map(({ tag, label, treatment }) => ({ tag, label, treatment })),
  );
  assert.match(usage, /userTags/);
  assert.equal((await server.ask('/api/tax/v1/tags?chain=osmosis')).status, 400);
});
