/** The socket of a review desk: who may use it, and what it refuses. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { Submission } from '../../../../schemas/types.generated.js';
import { openReviewDesk, type ReviewDesk, serverDesk } from '../../../../server/people/submissions/review-desk.js';

const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-desk-'));
after(() => rmSync(dataDir, { recursive: true }));
const folder = join(dataDir, 'review-desk');

const submission: Submission = {
  ...{ id: 'one', kind: 'validator_jurisdiction', status: 'received', submitted_at: '', reviewed_at: null },
  ...{ contract_address: 'cosmosvaloper1a', note: 'Ünïcode, "quoted"' },
};
const desk: ReviewDesk = {
  queue: async () => [submission],
  waiting: async (id) => (id === 'one' ? submission : null),
  settle: async (id, status) => {
    if (id !== 'one') throw new Error('the store is away');
    return { ...submission, status };
  },
  createKey: async ({ account, expires }) => ({ id: account, key: String(expires) }),
  listKeys: async () => [],
  revokeKey: async (id) => id === 'one',
  limitKey: async (id, { rate_limit }) => id === 'one' && rate_limit === 600,
};

const send = (order: string) => {
  const [name] = readdirSync(folder) as [string];
  const socket = connect({ path: join(folder, name), allowHalfOpen: true });
  socket.end(order);
  return text(socket);
};

test('a desk is reached in a folder that only its user can enter, and leaves nothing behind', async () => {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'left-behind'), '');
  assert.equal(await serverDesk(dataDir), undefined);
  const close = await openReviewDesk(dataDir, desk);
  assert.deepEqual([statSync(folder).mode & 0o777, readdirSync(folder).length], [0o700, 1]);
  const served = await serverDesk(dataDir);
  assert.deepEqual(await served!.queue(), [submission]);
  assert.deepEqual([await served!.waiting('one'), await served!.waiting('two')], [submission, null]);
  assert.deepEqual(await served!.settle('one', 'rejected', null), { ...submission, status: 'rejected' });
  const wanted = { account: 'alice', name: 'x', scopes: ['tax:read' as const], expires: null };
  assert.deepEqual(await served!.createKey(wanted), { id: 'alice', key: 'null' });
  assert.deepEqual(await Promise.all(['one', 'two'].map((id) => served!.revokeKey(id))), [true, false]);
  assert.equal(await served!.limitKey('one', { rate_limit: 600, tier: null }), true);
  assert.deepEqual(await served!.listKeys(), []);
  await assert.rejects(served!.settle('two', 'rejected', null), /^Error: the store is away$/);
  close();
  assert.deepEqual([readdirSync(folder), await serverDesk(dataDir)], [[], undefined]);
});

test('a queue of any length is told: strangers decide how long it is', async () => {
  const many = Array<Submission>(500).fill({ ...submission, note: 'x'.repeat(2000) });
  const close = await openReviewDesk(dataDir, { ...desk, queue: async () => many });
  const served = await serverDesk(dataDir);
  assert.equal((await served?.queue())?.length, many.length);
  close();
});

test('what is no order is refused, and the next one answered', async () => {
  const close = await openReviewDesk(dataDir, desk);
  for (const order of [
    '',
    'null',
    '{}',
    '{"act":"constructor","arguments":[]}',
    '{"act":"queue"',
    ' '.repeat(300_000),
  ]) {
    assert.match(await send(order), /^\{"error":"/, order.slice(0, 50));
  }
  assert.deepEqual(JSON.parse(await send('{"act":"queue","arguments":[]}')), { result: [submission] });
  close();
});
