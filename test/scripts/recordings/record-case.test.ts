import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/project.js';
import { cutCase } from '../../../scripts/recordings/record-case.js';
import { run } from '../run-program.js';

const sample = join(projectRoot(), 'data/sample');

test('a case that is cut again is the one that lies there', async () => {
  const name = 'test/classify/staking/MsgBeginRedelegate-two-rewards.json';
  const committed = readFileSync(join(projectRoot(), name), 'utf8');
  const { title } = JSON.parse(committed);
  const text = await cutCase(sample, 52, '6E478ED7', title);
  assert.equal(text.replace('"recording": "sample"', '"recording": "hub-short"'), committed);
});

test('of the block itself the events of a range are cut', async () => {
  const { transaction, events } = JSON.parse(await cutCase(sample, 52, '0-3', 'the beginning of a block'));
  assert.equal(transaction, undefined);
  assert.ok(events.every(([index]: [number]) => index <= 3));
});

test('what is not in the recording is one line', () => {
  const cases: [string[], RegExp][] = [
    [['52', 'FFFFFFFF'], /^hubledger: block 52 has no transaction FFFFFFFF\n$/],
    [['5200000', '0-1'], /^hubledger: block 5200000: the recording does not have it\n$/],
    [['0', '0-1'], /value '0' is invalid for argument 'height'\. It must be the height of a block\.\n$/],
    [['52', 'hash'], /value 'hash' is invalid for argument 'place'\. It must be the start of a transaction's hash/],
  ];
  for (const [words, message] of cases) {
    const { code, error } = run(['record-case', sample, ...words, 'staking/none', 'none']);
    assert.equal(code, 1);
    assert.match(error, message);
  }
  const { error } = run(['record-case', sample, '52', '0-1', '../none', 'none']);
  assert.match(error, /It must be <module>\/<message>-<variant>\.\n$/);
  assert.match(
    run(['record-case', '--help']).out,
    /Example, out of the bundled recording:\n {2}hubledger record-case data\/sample/,
  );
});
