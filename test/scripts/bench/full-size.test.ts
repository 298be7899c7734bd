import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { measureFullSize } from '../../../scripts/bench/fold/full-size.js';

test('a small chain with every trait of the full one is loaded, folded and published', async (context) => {
  const workDir = mkdtempSync(join(tmpdir(), 'full-size-'));
  context.after(() => rmSync(workDir, { recursive: true }));
  const settings = { recording: '', workDir, rounds: 1, milliseconds: 0, mixedRequests: 0, config: readConfig({}) };
  const traits = { validators: 13, bonded: 5, denoms: 7, claims: 3, undelegationEvery: 60 };
  // Contracts undelegate in the 60th, the 120th and the 180th block; what the last asked for is still open at the end.
  const measures = await measureFullSize(settings, { accounts: 400, delegations: 300, ...traits }, 200);
  assert.equal(measures.length, 9);
  for (const { what, figure } of measures) assert.ok(figure > 0, what);
});
