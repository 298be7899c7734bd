/** Amounts in messages: the chain accepts every form of a Go number. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessageAmount } from '../../../pipeline/base/values/amount.js';

/** Texts and the result of Int.Unmarshal (cosmossdk.io/math 1.5.3). */
const TAKEN: Readonly<Record<string, bigint>> = {
  '0': 0n,
  '00': 0n,
  '17': 17n,
  '+5': 5n,
  '017': 15n,
  '0_7': 7n,
  '0o17': 15n,
  '0b11': 3n,
  '0x10': 16n,
  '0X1_0': 16n,
  '1_000': 1000n,
  '340282366920938463463374607431768211456': 2n ** 128n,
};

const REFUSED = ['', '_1', '1_', '1__0', '08', ' 5', '5 ', '1e3', '1.0', '0x', '\u0661', '-3'];

test('parses each Go number as the chain does', () => {
  const read = Object.keys(TAKEN).map((text) => [text, parseMessageAmount(text)]);
  assert.deepEqual(Object.fromEntries(read), TAKEN);
});

test('rejects texts that the chain rejects, and negative amounts', () => {
  assert.deepEqual(REFUSED.map(parseMessageAmount), new Array(REFUSED.length).fill(undefined));
});
