import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { codingOnTheFly, encodeOnce, PrecompressedBody } from '../../server/encodings.js';

test('the coding a client wants most, of what is packed for it and of what is kept', async () => {
  const cases: [header: string | undefined, onTheFly: string, kept: string][] = [
    [undefined, 'identity', 'identity'],
    ['', 'identity', 'identity'],
    ['gzip', 'gzip', 'gzip'],
    ['br', 'br', 'br'],
    ['gzip, deflate, br', 'gzip', 'br'],
    ['gzip;q=0.9, br', 'br', 'br'],
    ['GZIP;Q=0.5 , br;q=0.4', 'gzip', 'gzip'],
    ['x-gzip', 'gzip', 'gzip'],
    ['*', 'gzip', 'br'],
    ['gzip;q=0', 'identity', 'identity'],
    ['gzip;q=0, *', 'br', 'br'],
    ['identity;q=0, br', 'br', 'br'],
    ['identity;q=0', 'identity', 'identity'],
    ['*;q=0', 'identity', 'identity'],
    ['gzip;q=0.1, identity', 'identity', 'identity'],
    ['gzip;q=much', 'identity', 'identity'],
    ['zstd, compress', 'identity', 'identity'],
  ];
  const kept = await PrecompressedBody.of(Buffer.alloc(2000));
  for (const [header, onTheFly, best] of cases) {
    assert.deepEqual([codingOnTheFly(header), kept.for(header).coding], [onTheFly, best], header);
  }
});

test('bodies come back as they were, in the same bytes each time', async () => {
  for (const length of [0, 1023, 1024, 5000, 32 * 1024, 100_000]) {
    const body = Buffer.from('abcdefg '.repeat(length).slice(0, length));
    const packed = await encodeOnce(body, 'gzip');
    assert.equal(packed.coding, length < 1024 ? 'identity' : 'gzip');
    assert.deepEqual(packed.coding === 'gzip' ? gunzipSync(packed.body) : packed.body, body);
    assert.deepEqual((await encodeOnce(body, 'gzip')).body, packed.body);
    const brotli = await encodeOnce(body, 'br');
    assert.deepEqual(brotli.coding === 'br' ? brotliDecompressSync(brotli.body) : brotli.body, body);
    const kept = await PrecompressedBody.of(body);
    assert.deepEqual(kept.for('identity').body, body);
    if (length < 1024) continue;
    assert.deepEqual(gunzipSync(kept.for('gzip').body), body);
    assert.deepEqual(brotliDecompressSync(kept.for('gzip, br').body), body);
  }
});
