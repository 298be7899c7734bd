import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEGMENT_ROWS, walletKey } from '../../../pipeline/wallet-store/events-format.js';
import { WalletRows } from '../../../server/dataset/wallet-cache.js';
import { packEvents } from '../pack-events.js';
import { recordedEvents, WALLETS } from '../published.js';

/** The rows of two wallets as the store has them, and the keys that are read. */
function openRows() {
  const values = new Map<string, string>();
  for (const address of [WALLETS.short, WALLETS.big]) {
    const events = recordedEvents(address);
    let segments = 0;
    for (let i = 0; i < events.length; i += SEGMENT_ROWS) {
      values.set(String(walletKey.segment(address, segments++)), packEvents(events.slice(i, i + SEGMENT_ROWS)));
    }
    values.set(String(walletKey.extent(address)), JSON.stringify({ rows: events.length, segments }));
  }
  const read: string[] = [];
  const rows = new WalletRows((key) => {
    read.push(String(key));
    return values.get(String(key));
  });
  return { rows, values, read };
}

test('a small wallet is read once, a large one segment by segment each time', () => {
  const { rows, read } = openRows();
  for (let i = 0; i < 3; i++) {
    assert.deepEqual([...rows.segments(WALLETS.short)], [recordedEvents(WALLETS.short)]);
    assert.equal(rows.count(WALLETS.short), 7);
  }
  assert.equal(read.length, 2);
  assert.deepEqual([...rows.segments(WALLETS.big)].flat(), recordedEvents(WALLETS.big));
  const once = read.length;
  assert.equal([...rows.segments(WALLETS.big)].flat().length, rows.count(WALLETS.big));
  assert.ok(read.length > 2 * (once - 2), 'nothing of it is kept');
});

test('a wallet without rows has none, a missing segment is an error', () => {
  const { rows, values } = openRows();
  assert.deepEqual([[...rows.segments(WALLETS.silent)], rows.count(WALLETS.silent)], [[], 0]);
  values.delete(String(walletKey.segment(WALLETS.big, 1)));
  assert.throws(() => [...rows.segments(WALLETS.big)], /segment 1 of .* is missing/);
});
