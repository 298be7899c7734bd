import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodePool } from '../../../pipeline/chain/nodes/node-pool.js';
import { openSource } from '../../../pipeline/chain/nodes/open-source.js';
import { Recording } from '../../../pipeline/chain/nodes/recording.js';
import { sampleUrl } from '../sample.js';

test('one recording, or nodes in order of preference', () => {
  assert.ok(openSource([sampleUrl]) instanceof Recording);
  assert.ok(openSource(['http://127.0.0.1:1', 'https://node.example/path']) instanceof NodePool);
});
