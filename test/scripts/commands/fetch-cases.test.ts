/** `hubledger fetch-cases`: blocks of nodes as a recording, from which `record-case` cuts the cases that are committed. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { cutCase } from '../../../scripts/commands/record-case.js';
import { lyingAt, PROVABLE } from '../../chain/lies.js';
import { CHAIN_ID } from '../../chain/sample.js';
import { startNode } from '../../chain/test-node.js';
import { run, runBeside } from '../run-program.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-cases-'));
after(() => rmSync(root, { recursive: true }));

const fetchCases = (urls: string, ...words: string[]) =>
  runBeside(['fetch-cases', ...words], { HUBLEDGER_RPC_URLS: urls, HUBLEDGER_NODE_CHAIN_ID: CHAIN_ID });

test('a case out of fetched blocks is the committed case', async (t) => {
  const node = await startNode();
  t.after(() => node.close());
  const folder = join(root, 'real');
  const { code, out, error } = await fetchCases(node.url, '52', '41', '52', '--out', folder);
  assert.deepEqual([code, error], [0, '']);
  assert.match(out, /^block 52 of 2026-\d\d-\d\d \d\d:\d\d:\d\d, \d+ transactions$/m);
  assert.match(out, /^ {2}6E478ED7 {2}\/cosmos\.staking\.v1beta1\.MsgBeginRedelegate/m);
  assert.deepEqual(readdirSync(join(folder, 'blocks')), ['41-41.jsonl.gz', '52-52.jsonl.gz']);
  const committed = readFileSync(
    join(projectRoot(), 'test/classify/staking/MsgBeginRedelegate-two-rewards.json'),
    'utf8',
  );
  const cut = await cutCase(folder, 52, '6E478ED7', JSON.parse(committed).title);
  assert.equal(cut, committed.replace('"recording": "sample"', '"recording": "real"'));
  assert.equal((await fetchCases(node.url, '60', '--out', folder)).code, 0);
  assert.equal(readdirSync(join(folder, 'blocks')).length, 3);
});

test('a block whose hashes do not fit is taken from the next node, or refused', async (t) => {
  const lie = lyingAt(52, Object.values(PROVABLE)[0]!);
  const [liar, honest] = [await startNode({ lie }), await startNode()];
  t.after(() => Promise.all([liar.close(), honest.close()]));
  const alone = await fetchCases(liar.url, '52', '--out', join(root, 'lie'));
  assert.equal(alone.code, 1);
  assert.match(alone.error, /^hubledger: block 52[^\n]*\n$/);
  assert.deepEqual(readdirSync(join(root, 'lie/blocks')), []);
  const beside = await fetchCases(`${liar.url},${honest.url}`, '52', '--out', join(root, 'lie'));
  assert.deepEqual([beside.code, beside.error], [0, '']);
  const results = await startNode({ lie: lyingAt(52, PROVABLE['another outcome']) });
  t.after(() => results.close());
  const wrong = await fetchCases(results.url, '52', '--out', join(root, 'wrong'));
  assert.equal(wrong.code, 1);
  assert.match(wrong.error, /^hubledger: block 5[^\n]*results[^\n]*\n$/);
});

test('what no node has, and no node at all, are errors of one line', async (t) => {
  const node = await startNode({ latest: 100 });
  t.after(() => node.close());
  const missing = await fetchCases(node.url, '5000', '--out', join(root, 'missing'));
  assert.equal(missing.code, 1);
  assert.match(missing.error, /^hubledger: block 5000: [^\n]+\n$/);
  const noNode = run(['fetch-cases', '52', '--out', join(root, 'none')]);
  assert.deepEqual(noNode, {
    code: 2,
    out: '',
    error: 'hubledger: HUBLEDGER_RPC_URLS names no node for fetch-cases\n',
  });
  assert.equal(existsSync(join(root, 'none')), false);
  const wrong = run(['fetch-cases', '0']);
  assert.equal(wrong.code, 2);
  assert.match(wrong.error, /'0' is invalid[^\n]*: it must be the height of a block\n$/);
});
