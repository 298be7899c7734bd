import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { acceptedCodings, chooseCoding, encodeOnce, PrecompressedBody } from '../../server/encodings.js';

test('the codings a client takes, best first', () => {
  const cases: [string | undefined, string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip identity'],
    ['gzip, deflate, br', 'br gzip identity'],
    ['GZIP;Q=0.5 , br;q=0.4', 'gzip br identity'],
    ['x-gzip', 'gzip identity'],
    ['*', 'br gzip identity'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0, *', 'br identity'],
    ['identity;q=0', ''],
    ['*;q=0', ''],
    ['gzip;q=0.1, identity', 'identity gzip'],
    ['gzip;q=much', 'identity'],
    ['zstd, compress', 'identity'],
  ];
  for (const [header, codings] of cases) assert.equal(acceptedCodings(header).join(' '), codings, header);
});

test('who takes nothing that is offered gets the body as it is', () => {
  assert.equal(chooseCoding('br', ['gzip', 'identity']), 'identity');
  assert.equal(chooseCoding('identity;q=0, br', ['gzip', 'identity']), 'identity');
});

test('bodies come back as they were, in the same bytes each time', async () => {
  for (const length of [0, 1023, 1024, 5000, 32 * 1024, 100_000]) {
    const body = Buffer.from('abcdefg '.repeat(length).slice(0, length));
    const packed = await encodeOnce(body, 'gzip');
    assert.equal(packed.coding, length < 1024 ? 'identity' : 'gzip');
    assert.deepEqual(packed.coding === 'gzip' ? gunzipSync(packed.body) : packed.body, body);
    assert.deepEqual((await encodeOnce(body, 'gzip')).body, packed.body);
    const kept = await PrecompressedBody.of(body);
    assert.deepEqual(kept.for('identity').body, body);
    if (length < 1024) continue;
    assert.deepEqual(gunzipSync(kept.for('gzip').body), body);
    assert.deepEqual(brotliDecompressSync(kept.for('gzip, br').body), body);
  }
});
