import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventsOf } from '../../../pipeline/publish/wallet-index/events-format.js';
import { indexState } from '../../../pipeline/publish/wallet-index-key.js';
import { loadReference } from '../../../pipeline/reference.js';
import { grow, placeGrown } from '../../../scripts/bench/grown-wallets.js';
import { publish } from '../../server/published.js';

const amounts = [['5', 'uatom', null], null, null];
const row = (height: number, position: number, link: string | null) =>
  JSON.stringify([
    height,
    position,
    `id-${height}-${position}`,
    '2026-01-01 00:00:00',
    'F00D',
    'transfer_out',
    ...amounts,
    null,
    null,
    null,
    '',
    '',
    link,
    0,
    0,
  ]);
const stored = [row(1, 0, null), row(1, 1, 'link'), row(2, 0, 'link')];

test('a grown wallet has the requested number of rows, in order, with unique ids', () => {
  for (const count of [1, 3, 7, 1000]) {
    const events = eventsOf('cosmos1', grow(stored, count));
    assert.equal(events.length, count);
    assert.equal(new Set(events.map(({ id }) => id)).size, count);
    const places = events.map(({ height, position }) => height * 10_000 + position);
    assert.deepEqual(
      places,
      [...new Set(places)].sort((a, b) => a - b),
    );
  }
});

test('copies of linked rows are linked copy by copy', () => {
  const events = eventsOf('cosmos1', grow(stored, 6));
  assert.deepEqual(
    events.map(({ link }) => link),
    [null, null, 'link/0', 'link/1', 'link/0', 'link/1'],
  );
});

test('a server accepts an index with grown wallets', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-grown-'));
  const generation = await publish(dataDir);
  await placeGrown(dataDir, stored, [7]);
  assert.equal(indexState(dataDir, generation, loadReference()), 'sound');
  await placeGrown(dataDir, stored, [8]);
  assert.equal(indexState(dataDir, generation, loadReference()), 'sound', 'another time, too');
  rmSync(dataDir, { recursive: true });
});
