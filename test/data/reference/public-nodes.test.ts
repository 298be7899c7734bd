/** The public nodes of `hubledger check-nodes --nodes registry`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadPublicNodes, loadReference } from '../../../pipeline/reference.js';

test('every public node has a URL of its own, and no URL contains a key', () => {
  const { nodes, chain_id } = loadPublicNodes();
  assert.equal(chain_id, loadReference().chain.node_chain_id);
  assert.equal(new Set(nodes.map(({ provider }) => provider)).size, nodes.length);
  for (const kind of ['rpc', 'rest'] as const) {
    const urls = nodes.flatMap((node) => node[kind] ?? []);
    assert.ok(urls.length >= 20);
    assert.equal(new Set(urls).size, urls.length);
    for (const url of urls) assert.doesNotMatch(new URL(url).pathname, /[0-9a-f]{16}/i, url);
  }
  for (const { provider, rpc, rest } of nodes) assert.ok(rpc ?? rest, provider);
});
