import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { inflate } from '../../../../server/web/values/inflate.js';

const deflated = (text: string) => new Uint8Array(deflateRawSync(text));

test('a text of at most the maximum length is inflated', async () => {
  const text = 'Atóm€ '.repeat(50_000);
  const length = Buffer.byteLength(text);
  assert.equal(await inflate(deflated(text), length), text);
  assert.equal(await inflate(deflated(text), length - 1), undefined);
  assert.equal(await inflate(deflated(''), 0), '');
});

test('data that inflates to 16 GiB is refused after the maximum', async () => {
  const mebibyte = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
  assert.equal(await inflate(new Uint8Array(Buffer.concat(Array(16_384).fill(mebibyte))), 4_000_000), undefined);
});

test('damaged and incomplete data is refused', async () => {
  await assert.rejects(inflate(new Uint8Array([255, 0, 1]), 100), Error);
  await assert.rejects(inflate(deflated('answers '.repeat(100)).subarray(0, 10), 10_000), Error);
});
