import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interpretReply } from '../../../server/contracts/interpret-reply.js';
import { ReplyReader } from '../../../server/contracts/upstream.js';
import { LIMITS } from '../../../server/http/limits.js';
import { Problem } from '../../../server/http/problem.js';

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
  const reader = new ReplyReader();
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
  await assert.rejects(new ReplyReader().read(bytes()), { kind: 'invalid_response' });
});

const QUERY = { kind: 'smart', path: '/', height: undefined, member: 'data' } as const;
const interpret = (data: string) => interpretReply(QUERY, 200, 0, Buffer.from(`{"data":${data}}`));

/** Interprets a refusal of a contract in these words. @returns the words that are kept of it */
function wordsOf(words: string): string {
  const message = `codespace wasm code 9: ${words}: query wasm contract failed`;
  const reply = interpretReply(QUERY, 500, 0, Buffer.from(JSON.stringify({ code: 2, message })));
  return 'refusal' in reply ? reply.refusal.detail : assert.fail('it is an answer');
}

test('an answer with too many values is not parsed, since a contract may say what it likes; depth costs nothing', () => {
  const { max } = LIMITS.nodes.values;
  const list = (length: number) => `[${'0,'.repeat(length - 1)}0]`;
  assert.ok('body' in interpret(list(max - 1)));
  assert.ok('body' in interpret('['.repeat(10_000) + ']'.repeat(10_000)));
  assert.throws(() => interpret(list(max)), { kind: 'invalid_response', message: /has more than 200000 values/ });
});

test('the words of a refusal are cut, never within a pair of surrogates', () => {
  const { max } = LIMITS.nodes.refusal;
  assert.equal(wordsOf('x'.repeat(max)), 'x'.repeat(max));
  assert.equal(wordsOf('x'.repeat(1_000_000)), `${'x'.repeat(max - 1)}…`);
  assert.equal(wordsOf('😀'.repeat(1_000_000)), `${'😀'.repeat(max / 2 - 1)}…`);
  assert.equal(wordsOf(`x${'😀'.repeat(1_000_000)}`), `x${'😀'.repeat(max / 2 - 1)}…`);
});

test('a redirect is a fault of the node, also where it looks like a refusal', () => {
  const refusal = Buffer.from(JSON.stringify({ code: 5, message: 'not found' }));
  assert.ok('refusal' in interpretReply(QUERY, 404, 0, refusal));
  for (const status of [301, 302, 303, 307, 308]) {
    assert.throws(() => interpretReply(QUERY, status, 0, refusal), { kind: 'invalid_response', message: /redirects/ });
  }
});
