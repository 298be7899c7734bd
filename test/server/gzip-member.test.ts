/** Put together, the parts are one gzip member: any reader gives their text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { encodeParts } from '../../server/encodings.js';
import { gzipMember, KeptText, type Part, textOfParts } from '../../server/gzip-member.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat(200).map((rows) => '{"receivedAmount":"0.000001","label":"Entlohnung für Ⓐ"},'.repeat(rows)),
);
const part: fc.Arbitrary<Part> = fc.oneof(
  text,
  text.map((kept) => new KeptText(kept)),
);

test('unpacked it is the text of its parts, checksum and length right', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      assert.equal(gunzipSync(gzipMember(parts)).toString(), textOfParts(parts));
    }),
    { numRuns: 300 },
  );
});

test('the checksum is the one that packing the whole text gives', () => {
  const parts = [
    'head ',
    new KeptText('kept'.repeat(5000)),
    ', new, ',
    new KeptText(''),
    new KeptText('again'),
    ' end',
  ];
  const member = gzipMember(parts);
  assert.deepEqual(member.subarray(-8), gzipSync(textOfParts(parts)).subarray(-8));
});

test('new text longer than a stored block of 65,535 bytes goes into several', () => {
  for (const length of [65_534, 65_535, 65_536, 200_000]) {
    const parts = ['x'.repeat(length), new KeptText('kept')];
    assert.equal(gunzipSync(gzipMember(parts)).toString(), textOfParts(parts));
  }
});

test('kept text may be used again, before and behind anything', () => {
  const kept = new KeptText('abc '.repeat(400));
  for (const parts of [[kept], [kept, kept], ['1', kept], [kept, '2'], ['1', kept, '2', kept]]) {
    assert.equal(gunzipSync(gzipMember(parts)).toString(), textOfParts(parts));
  }
});

test('parts are put together for who takes gzip, where little of the text is new', () => {
  const kept = new KeptText('abc '.repeat(400));
  const sent = encodeParts(['{', kept, '}'], 'gzip, br');
  assert.equal(sent?.coding, 'gzip');
  assert.equal(gunzipSync(sent.body).toString(), `{${kept.text}}`);
  assert.equal(encodeParts(['{', kept, '}'], 'br'), undefined);
  assert.equal(encodeParts(['{', kept, '}'], undefined), undefined);
  assert.equal(encodeParts(['nothing kept'], 'gzip'), undefined);
  assert.ok(encodeParts(['n'.repeat(4096), kept], 'gzip'));
  assert.equal(encodeParts(['n'.repeat(4097), kept], 'gzip'), undefined);
});
