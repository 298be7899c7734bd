import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { joinGzip } from '../../../server/formats/join-gzip.js';

test('a text before a gzip member makes one member of both', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme', maxLength: 2000 }),
      fc.nat(200),
      fc.constantFrom(0, 1, 5, 20_000),
      (start, body, times, many) => {
        const text = body.repeat(times);
        const head = start.repeat(many);
        const joined = joinGzip(head, gzipSync(text, { level: 6 }));
        // gunzip compares length and CRC-32 with the trailer; a second member would have a header of its own.
        assert.equal(gunzipSync(joined).toString(), head + text);
        assert.equal(joined.readUInt32LE(joined.length - 8), crc32(head + text));
        assert.equal(joined.readUInt32LE(joined.length - 4), Buffer.byteLength(head + text));
      },
    ),
    { numRuns: 300 },
  );
});
