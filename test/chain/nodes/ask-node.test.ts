import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askNode, ByteAllowance } from '../../../pipeline/chain/nodes/ask-node.js';
import { startNode } from '../test-node.js';

test('an answer that drips ends long before its deadline', async (context) => {
  const node = await startNode({ fault: () => 'drip' });
  context.after(() => node.close());
  const asked = askNode(node.url, { timeoutMs: 600_000, allowance: new ByteAllowance(1) });
  await assert.rejects(asked, new Error('it sends fewer than 16384 bytes in 5000 ms'));
});

test('single bytes take more of the memory than their number', () => {
  const allowance = new ByteAllowance(1);
  const takeBytes = () => {
    for (let i = 0; i < 10_000; i++) allowance.take(new Uint8Array(1));
  };
  assert.throws(takeBytes, new Error('its answer is larger than 1 MiB'));
});
