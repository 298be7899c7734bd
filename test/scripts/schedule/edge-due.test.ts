import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadReference } from '../../../pipeline/reference.js';
import { EdgeStates } from '../../../pipeline/tracked-wallets/edge-states.js';
import { isEdgeDue } from '../../../scripts/schedule/edge-due.js';

const reference = loadReference();
/** The first instant of 2027 in Seoul. */
const SEOUL = '2026-12-31T15:00:00Z';

test('a run is due from half a minute to an hour after an edge, until one has looked for it', (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-edges-'));
  context.after(() => rmSync(dataDir, { recursive: true }));
  const settings = { wallets: ['cosmos1a'], dataDir, edges: [], nodeChainId: 'localhub-1' };
  const isDue = (now: string, more = {}) => isEdgeDue({ ...settings, now: () => new Date(now), ...more }, reference);
  assert.deepEqual(
    ['2026-12-31T15:00:29.999Z', '2026-12-31T15:00:30Z', '2026-12-31T15:59:00Z'].map((now) => isDue(now)),
    [false, true, true],
  );
  assert.equal(isDue('2026-12-30T15:01:00Z'), false);
  assert.equal(isDue('2026-12-31T15:01:00Z', { wallets: undefined }), false);
  const second = BigInt(Date.parse('2026-11-11T11:11:11Z')) * 1_000_000n;
  assert.equal(isDue('2026-11-11T11:12:00Z', { edges: [second] }), true);
  const block = { height: 7, time: '2026-12-31T14:59:56Z', nextTime: '2026-12-31T15:00:02Z' };
  EdgeStates.open(dataDir, 'localhub-1', () => {}).addEdge(block, BigInt(Date.parse(SEOUL)) * 1_000_000n);
  assert.equal(isDue('2026-12-31T15:01:00Z'), false);
});
