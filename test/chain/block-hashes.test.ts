/** Hashes of real blocks: of the recorded chain, and of one with evidence of a double vote (fixtures of informalsystems/tendermint-rs). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataHash, evidenceHash, headerHash, resultsHash } from '../../pipeline/chain/block-hashes.js';
import type { BlockRecord } from '../../pipeline/chain/block-record.js';
import { projectRoot } from '../../pipeline/project.js';
import { sampleLines } from './sample.js';

test('every hash of the recorded chain is computed from what it covers', () => {
  let results: string | undefined;
  for (const line of sampleLines.slice(1)) {
    const { block, block_results }: BlockRecord = JSON.parse(line);
    const { header, data, evidence } = block.block;
    assert.equal(headerHash(header), block.block_id.hash);
    assert.equal(dataHash(data.txs), header.data_hash);
    assert.equal(evidenceHash(evidence?.evidence), header.evidence_hash);
    if (results) assert.equal(results, header.last_results_hash);
    results = resultsHash(block_results.txs_results);
  }
});

test('evidence of a double vote has the hash of its header, in either spelling of its members', () => {
  const path = join(projectRoot(), 'test/chain/double-votes.json');
  const blocks: BlockRecord['block'][] = JSON.parse(readFileSync(path, 'utf8'));
  assert.equal(blocks.length, 2);
  for (const { block_id, block } of blocks) {
    assert.equal(headerHash(block.header), block_id.hash);
    assert.equal(evidenceHash(block.evidence!.evidence), block.header.evidence_hash);
  }
});

test('evidence of an attack on light clients has no hash here', () => {
  assert.equal(evidenceHash([{ type: 'tendermint/LightClientAttackEvidence', value: {} }]), undefined);
});
