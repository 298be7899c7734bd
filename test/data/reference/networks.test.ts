/** The networks of the contract API against an excerpt of the registry that their source names. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { loadReference } from '../../../pipeline/reference.js';

interface Registered {
  readonly source: string;
  readonly chain_id: string;
  readonly bech32_prefix: string;
  readonly status: string;
  readonly rest: readonly string[];
}

const registry: readonly Registered[] = JSON.parse(
  readFileSync(join(projectRoot(), 'test/data/reference/networks.json'), 'utf8'),
);

test('every network is as the registry has it, and live; each endpoint is one of its REST endpoints', () => {
  const { networks } = loadReference();
  assert.ok(networks.length > 0);
  for (const { name, chain_id, bech32_prefix, source, endpoints } of networks) {
    const registered = registry.find((entry) => entry.source === source);
    assert.ok(registered, `${name}: ${source}`);
    assert.deepEqual(
      { chain_id, bech32_prefix, status: 'live' },
      { chain_id: registered.chain_id, bech32_prefix: registered.bech32_prefix, status: registered.status },
    );
    for (const url of endpoints) assert.ok(registered.rest.includes(url), `${name}: ${url}`);
    assert.ok(new Set(endpoints.map((url) => new URL(url).origin)).size >= 2, `${name}: nodes answer for each other`);
  }
});
