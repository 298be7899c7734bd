import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteRange } from '../../../../server/endpoints/datasets.js';

test('one range of bytes, within the file', () => {
  const cases: [string, unknown][] = [
    ['bytes=0-3', { start: 0, end: 3 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=2-1000', { start: 2, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-10', { start: 0, end: 9 }],
    ['bytes=-1000', { start: 0, end: 9 }],
    ['Bytes=0-0', { start: 0, end: 0 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=99999999999999999999-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
  ];
  for (const [header, expected] of cases) assert.deepEqual(byteRange(header, 10), expected, header);
  assert.equal(byteRange('bytes=-5', 0), 'unsatisfiable');
});

test('another form is as good as no header', () => {
  for (const header of [
    undefined,
    '',
    'bytes',
    'bytes=-',
    'bytes=5-2',
    'bytes=0-1,3-4',
    'lines=0-3',
    'bytes=a-b',
    'bytes= 0-3',
  ]) {
    assert.equal(byteRange(header, 10), undefined, header);
  }
});
