import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventJson, walletRows } from '../../../../pipeline/books/reports/event-row.js';
import { SEGMENT_ROWS, walletKey } from '../../../../pipeline/publish/wallet-index/events-format.js';
import {
  cachedRowsOf,
  extentOf,
  Prices,
  segmentsOf,
  WalletCache,
} from '../../../../server/tax/dataset/wallet-cache.js';
import { contextOf, recordedEvents, WALLETS } from '../../published.js';
import { serializeEvents } from '../../serialize-events.js';

const day = fc.integer({ min: 0, max: 60 }).map((n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10));

test('the last day with a price is the one that a look at each of them finds', () => {
  fc.assert(
    fc.property(fc.uniqueArray(day), day, (priced, until) => {
      const prices = Prices.parse(JSON.stringify(priced.sort().map((of) => [of, '2500000'])));
      const expected = priced.filter((of) => of <= until).at(-1);
      assert.equal(prices.lastDayUntil(until), expected);
      assert.deepEqual([...prices.keys()], priced);
    }),
  );
});

const context = contextOf([]);

/** The rows of two wallets as the wallet index has them, and the keys that are read. */
function openRows() {
  const values = new Map<string, string>();
  for (const address of [WALLETS.short, WALLETS.big]) {
    const events = recordedEvents(address);
    let segments = 0;
    for (let i = 0; i < events.length; i += SEGMENT_ROWS) {
      values.set(String(walletKey.segment(address, segments++)), serializeEvents(events.slice(i, i + SEGMENT_ROWS)));
    }
    values.set(String(walletKey.extent(address)), JSON.stringify({ rows: events.length, segments }));
  }
  const read: string[] = [];
  const cache = new WalletCache([
    (key) => {
      read.push(String(key));
      return values.get(String(key));
    },
  ]);
  return { cache, values, read };
}

test('a small wallet is read once, a large one segment by segment each time', () => {
  const { cache, read } = openRows();
  for (let i = 0; i < 3; i++) {
    assert.deepEqual([...segmentsOf(cache, WALLETS.short)], [recordedEvents(WALLETS.short)]);
    assert.equal(extentOf(cache, WALLETS.short).rows, 7);
  }
  assert.equal(read.length, 2);
  assert.deepEqual([...segmentsOf(cache, WALLETS.big)].flat(), recordedEvents(WALLETS.big));
  const once = read.length;
  assert.equal([...segmentsOf(cache, WALLETS.big)].flat().length, extentOf(cache, WALLETS.big).rows);
  assert.ok(read.length >= 2 * (once - 3), 'its segments are not kept');
});

test('a wallet without rows has none, a missing segment is an error', () => {
  const { cache, values } = openRows();
  assert.deepEqual([[...segmentsOf(cache, WALLETS.silent)], extentOf(cache, WALLETS.silent).rows], [[], 0]);
  values.delete(String(walletKey.segment(WALLETS.big, 1)));
  assert.throws(() => [...segmentsOf(cache, WALLETS.big)], /segment 1 of .* is missing/);
});

test('a wallet has the rows of the base layer, then those of the open layer', () => {
  const events = recordedEvents(WALLETS.big);
  for (const closed of [0, 3, SEGMENT_ROWS, SEGMENT_ROWS + 1, events.length]) {
    const layers = [events.slice(0, closed), events.slice(closed)].map((rows) => {
      const values = new Map<string, string>();
      for (let n = 0; n * SEGMENT_ROWS < rows.length; n++) {
        const segment = rows.slice(n * SEGMENT_ROWS, (n + 1) * SEGMENT_ROWS);
        values.set(String(walletKey.segment(WALLETS.big, n)), serializeEvents(segment));
      }
      const extent = { rows: rows.length, segments: values.size };
      if (rows.length > 0) values.set(String(walletKey.extent(WALLETS.big)), JSON.stringify(extent));
      return (key: (string | number)[]) => values.get(String(key));
    });
    const cache = new WalletCache(layers);
    assert.deepEqual([...segmentsOf(cache, WALLETS.big)].flat(), events);
    assert.equal(extentOf(cache, WALLETS.big).rows, events.length);
  }
  const small = recordedEvents(WALLETS.short);
  const cache = new WalletCache(
    [small.slice(0, 3), small.slice(3)].map((rows) => (key) => {
      if (key[0] === 'extent') return JSON.stringify({ rows: rows.length, segments: 1 });
      return key[0] === 'rows' ? serializeEvents(rows) : undefined;
    }),
  );
  for (let i = 0; i < 2; i++) assert.deepEqual([...segmentsOf(cache, WALLETS.short)].flat(), small);
});

test('a value is read once, even if it is absent, and the oldest make room', () => {
  const reads: string[] = [];
  const cache = new WalletCache([
    ([key]) => {
      reads.push(String(key));
      return key === 'absent' ? undefined : JSON.stringify([key, 'x'.repeat(300_000)]);
    },
  ]);
  const read = (key: string) => cache.read<unknown[]>([key], ([text]) => JSON.parse(text), []);
  assert.equal(read('a'), read('a'));
  assert.deepEqual([read('absent'), read('absent')], [[], []]);
  assert.deepEqual(reads, ['a', 'absent']);
  for (let i = 0; i < 16; i++) read(`filler ${i}`);
  read('a');
  assert.deepEqual(reads.slice(-1), ['a'], 'read again');
});

test('the rows of a small wallet are made once, those of a large one are not kept', () => {
  const { cache } = openRows();
  const kept = cachedRowsOf(cache, WALLETS.short, context)!;
  assert.equal(cachedRowsOf(cache, WALLETS.short, context), kept);
  const rows = recordedEvents(WALLETS.short).map(walletRows(context));
  assert.deepEqual(
    kept.map(({ json, ...row }) => [row, json]),
    rows.map((row) => [row, eventJson(row)]),
  );
  assert.equal(cachedRowsOf(cache, WALLETS.big, context), undefined);
});
