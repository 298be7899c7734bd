import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeFold } from '../../pipeline/flags/fold.js';
import { memoCalls } from '../../pipeline/flags/memo-call.js';
import { loadReference } from '../../pipeline/reference.js';

const { spam, confusables } = loadReference();
const calls = memoCalls(spam, makeFold(confusables));

test('links and calls to claim, also in letters that look alike', () => {
  for (const memo of [
    'Claim 500 ATOM at https://atom-airdrop.example',
    '=HYPERLINK("https://drainer.example","Claim rewards")',
    '🎁 You won! visit cosmos-claim.example to receive $ATOM',
    'cosmos-gift․com',
    'WWW.STAKE.SITE',
    'AIRDROP',
    'сlаim now',
    'c\u200dlaim',
    'free tokens for you',
    'hxxps evil',
    'ask at t.me/atom',
  ]) {
    assert.ok(calls(memo), memo);
  }
});

test('what people write to each other is neither', () => {
  for (const memo of [
    '',
    '118943',
    '0001234567890',
    'rent',
    'lunch, "pizza" & coffee',
    'Invoice 2026-0017; thanks',
    "O'Brien; DROP TABLE tx;--",
    '<script>alert(1)</script>',
    'line one\nline two\r\nthree',
    'ünïcödé ✓ 日本語 🚀',
    '@SUM(1+1)*cmd',
    '+49 170 0000000',
    'paid 3.50 to you',
    'v1.2.3',
    'reclaimed',
    'freedom',
  ]) {
    assert.ok(!calls(memo), memo);
  }
});
