import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../../server/http/limits.js';
import { Problem } from '../../../../server/http/problem.js';
import { AnswerReader } from '../../../../server/people/contracts/upstream.js';

const MIB = 1024 * 1024;
const CHUNK = Buffer.alloc(MIB);

/** An answer of so many chunks, each of which waits for the one before. */
async function* answer(count: number, chunk = CHUNK): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) {
    await new Promise(setImmediate);
    yield chunk;
  }
}

test('answers that are too large together are refused, small ones never', async () => {
  const reader = new AnswerReader();
  const large = Array.from({ length: LIMITS.nodes.underWay.max / MIB / 6 + 2 }, () => reader.read(answer(7)));
  const small = Array.from({ length: 50 }, () => reader.read(answer(7, CHUNK.subarray(0, 1024))));
  const settled = await Promise.allSettled(large);
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.ok(refused.length >= 1 && refused.length < large.length / 2, `${refused.length} of ${large.length}`);
  for (const reason of refused) assert.ok(reason instanceof Problem && reason.code === 'unavailable');
  assert.deepEqual(new Set((await Promise.all(small)).map(({ length }) => length)), new Set([7 * 1024]));
  assert.equal((await reader.read(answer(7))).length, 7 * MIB, 'once they are read there is room');
});

test('an answer of single bytes counts as more', async () => {
  const bytes = async function* () {
    for (;;) yield CHUNK.subarray(0, 1);
  };
  await assert.rejects(new AnswerReader().read(bytes()), { kind: 'invalid_response' });
});
