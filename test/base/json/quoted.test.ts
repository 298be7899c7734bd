import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, quoted } from '../../../pipeline/base/json/quoted.js';

test('a text in quotes is cut before it is quoted', () => {
  assert.equal(quoted('a "b"'), '"a \\"b\\""');
  assert.equal(quoted('"'.repeat(101)), `"${'\\"'.repeat(100)}…"`);
  assert.equal(quoted('abc', 2), '"ab…"');
});

test('of a quoted text no terminal obeys anything, and none turns it round', () => {
  assert.equal(
    harmless(quoted('\u001b[2J\u202eb\n\u009b\u2028\ue000')),
    '"\\u001b[2J\\u{202e}b\\n\\u{9b}\\u{2028}\\u{e000}"',
  );
  assert.equal(harmless(quoted('é 漢字 🦀')), '"é 漢字 🦀"');
});
