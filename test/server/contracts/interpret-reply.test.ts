import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interpretReply } from '../../../server/contracts/interpret-reply.js';
import { LIMITS } from '../../../server/limits.js';

const interpret = (data: string) =>
  interpretReply(
    { kind: 'smart', path: '/', height: undefined, member: 'data' },
    200,
    0,
    Buffer.from(`{"data":${data}}`),
  );

test('an answer with too many values is not parsed, since a contract may say what it likes; depth costs nothing', () => {
  const { max } = LIMITS.nodes.values;
  const list = (length: number) => `[${'0,'.repeat(length - 1)}0]`;
  assert.ok('body' in interpret(list(max - 1)));
  assert.ok('body' in interpret('['.repeat(10_000) + ']'.repeat(10_000)));
  assert.throws(() => interpret(list(max)), { kind: 'invalid_response', message: /has more than 200000 values/ });
});
