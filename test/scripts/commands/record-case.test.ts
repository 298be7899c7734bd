import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { cutCase } from '../../../scripts/commands/record-case.js';
import { CHAIN_ID } from '../../chain/sample.js';
import { startNode } from '../../chain/test-node.js';
import { run } from '../run-program.js';

const sample = join(projectRoot(), 'data/sample');

test('recording a case again gives the committed file', async () => {
  const name = 'test/classify/staking/MsgBeginRedelegate-two-rewards.json';
  const committed = readFileSync(join(projectRoot(), name), 'utf8');
  const { title } = JSON.parse(committed);
  assert.equal(await cutCase(sample, 52, '6E478ED7', title), committed);
  const node = await startNode();
  try {
    const cut = await cutCase(node.url, 52, '6E478ED7', title);
    assert.equal(cut, committed.replace('"recording": "sample"', `"recording": "${CHAIN_ID}"`), 'out of a node');
  } finally {
    await node.close();
  }
});

test('the example of CONTRIBUTING gives a committed case', async () => {
  const page = readFileSync(join(projectRoot(), 'CONTRIBUTING.md'), 'utf8');
  const [, height, place, name, title] = /record-case data\/sample (\d+) (\w+) (\S+) '(.*)'$/m.exec(page)!;
  const committed = readFileSync(join(projectRoot(), `test/classify/${name}.json`), 'utf8');
  assert.equal(await cutCase(sample, Number(height), place!, title!), committed);
});

test('a range selects events of the block itself', async () => {
  const { transaction, events } = JSON.parse(await cutCase(sample, 52, '0-3', 'the beginning of a block'));
  assert.equal(transaction, undefined);
  assert.ok(events.every(([index]: [number]) => index <= 3));
});

test('a missing block or transaction is an error of one line', () => {
  const cases: [string[], RegExp][] = [
    [['52', 'FFFFFFFF'], /^hubledger: block 52 has no transaction FFFFFFFF\n$/],
    [['5200000', '0-1'], /^hubledger: block 5200000: the recording does not contain it\n$/],
    [['0', '0-1'], /^hubledger: <height> '0' is invalid: it must be the height of a block\n$/],
    [['52', 'hash'], /^hubledger: <place> 'hash' is invalid: it must be the start of a transaction's hash/],
  ];
  for (const [words, message] of cases) {
    const { code, error } = run(['record-case', sample, ...words, 'staking/none', 'none']);
    assert.equal(code, error.includes(' is invalid: ') ? 2 : 1);
    assert.match(error, message);
  }
  const { error } = run(['record-case', sample, '52', '0-1', '../none', 'none']);
  assert.match(error, /it must be <module>\/<message>-<variant>\n$/);
});
