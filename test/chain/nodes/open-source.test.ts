import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodePool } from '../../../pipeline/chain/nodes/node-pool.js';
import { openSource } from '../../../pipeline/chain/nodes/open-source.js';
import { Recording } from '../../../pipeline/chain/nodes/recording.js';
import { ConfigError } from '../../../pipeline/config-error.js';
import { sampleUrl } from '../sample.js';

test('one recording, or nodes in order of preference, but no mixture', () => {
  assert.ok(openSource([sampleUrl]) instanceof Recording);
  assert.ok(openSource(['http://127.0.0.1:1', 'https://node.example/path']) instanceof NodePool);
  for (const urls of [
    ['http://127.0.0.1:1', sampleUrl],
    [sampleUrl, sampleUrl],
  ]) {
    assert.throws(
      () => openSource(urls),
      (error) => error instanceof ConfigError && error.message.includes('beside other URLs'),
    );
  }
});
