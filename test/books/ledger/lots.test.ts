import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  basisOf,
  converted,
  type Lot,
  LotQueue,
  lotKeysOf,
  parcelsOf,
  piecesOf,
  type Slice,
  whole,
} from '../../../pipeline/books/ledger/lots.js';
import { fifo } from '../../../pipeline/books/methods/fifo.js';

const lot = (arrival: number, acquired: string, quantity: bigint, basis: bigint | null): Lot => ({
  acquired,
  day: acquired,
  arrival,
  quantity,
  basis,
});
const shown = (slices: Iterable<Slice>) => [...slices].map((slice) => [slice.lot.arrival, slice.from, slice.to]);
const queueOf = (...lots: Lot[]) => {
  const queue = new LotQueue(fifo);
  for (const one of lots) queue.put(whole(one));
  return queue;
};

const first = lot(0, '2026-01-05', 3n, 100n);
const older = lot(1, '2021-05-01', 2n, 50n);
const sameDay = lot(2, '2026-01-05', 4n, null);

test('lots leave by acquired day, then by arrival', () => {
  const queue = queueOf(first, older, sameDay);
  assert.deepEqual(shown(queue.take(4n).slices), [
    [1, 0n, 2n],
    [0, 0n, 2n],
  ]);
  const { slices, short } = queue.take(9n);
  assert.deepEqual(shown(slices), [
    [0, 2n, 3n],
    [2, 0n, 4n],
  ]);
  assert.equal(short, 4n);
});

test('parts of a lot add up to its basis, in whatever order they leave', () => {
  const parts = [0n, 1n, 2n].map((from) => basisOf({ lot: first, from, to: from + 1n }));
  assert.deepEqual(parts, [33n, 34n, 33n]);
  assert.equal(basisOf({ lot: sameDay, from: 0n, to: 1n }), null);
});

test('a returning part joins its neighbours', () => {
  const queue = queueOf(first, sameDay);
  const [low] = queue.take(1n).slices;
  const [middle] = queue.take(1n).slices;
  queue.put(low!);
  assert.deepEqual(shown(queue), [
    [0, 0n, 1n],
    [0, 2n, 3n],
    [2, 0n, 4n],
  ]);
  queue.put(middle!);
  assert.deepEqual(shown(queue), [
    [0, 0n, 3n],
    [2, 0n, 4n],
  ]);
});

test('a returning lot is first again, after all or thousands of lots were consumed', () => {
  const queue = new LotQueue(fifo);
  for (let i = 0; i < 5000; i++) queue.put(whole(lot(i, '2026-01-05', 1n, 1n)));
  const { slices } = queue.take(4000n);
  queue.put(slices[3999]!);
  queue.put(slices[7]!);
  assert.deepEqual(shown(queue.take(3n).slices), [
    [7, 0n, 1n],
    [3999, 0n, 1n],
    [4000, 0n, 1n],
  ]);
  assert.equal(queue.take(5000n).short, 5000n - 999n);
});

test('putAll orders slices as single puts do', () => {
  const lots = Array.from({ length: 60 }, (_, i) => lot(i, `2026-01-${10 + ((i * 7) % 20)}`, 3n, 10n));
  const [one, other] = [queueOf(...lots), queueOf(...lots)];
  const back = [...one.take(100n).slices].reverse();
  other.take(100n);
  one.putAll(back);
  for (const slice of back) other.put(slice);
  assert.deepEqual([...one], [...other]);
  assert.deepEqual([...one], [...queueOf(...lots)]);
});

test('takeFrom leaves other lots in place', () => {
  const queue = queueOf(first, older, sameDay);
  const { slices, short } = queue.takeFrom([sameDay], 3n);
  assert.deepEqual([shown(slices), short], [[[2, 0n, 3n]], 0n]);
  assert.deepEqual(shown(queue), [
    [1, 0n, 2n],
    [0, 0n, 3n],
    [2, 3n, 4n],
  ]);
  assert.equal(queue.takeFrom([lot(9, '2026-01-05', 1n, 1n)], 1n).short, 1n);
});

test('conversions keep day, order and every cent; one to one, slices stay parts of their lots', () => {
  const slices = queueOf(first, older).take(4n).slices;
  assert.equal(converted(slices, 4n, 4n), slices);
  assert.deepEqual(
    converted(slices, 2n, 4n).map(({ lot: { arrival, quantity, basis } }) => [arrival, quantity, basis]),
    [
      [1, 1n, 50n],
      [0, 1n, 67n],
    ],
  );
  const tiny = [
    whole(lot(0, '2026-01-05', 1n, 7n)),
    whole(lot(1, '2026-01-06', 1n, 0n)),
    whole(lot(2, '2026-01-07', 998n, 9n)),
  ];
  assert.deepEqual(
    converted(tiny, 10n, 1000n).map(({ lot: { arrival, quantity, basis } }) => [arrival, quantity, basis]),
    [
      [0, 1n, 7n],
      [2, 9n, 9n],
    ],
  );
});

test('a transfer joins neighbours of one day whose bases are all known or all unknown', () => {
  const lots = [
    lot(0, '2026-01-05', 4n, null),
    lot(1, '2026-01-05', 5n, null),
    lot(2, '2026-01-05', 6n, 100n),
    lot(3, '2026-01-05', 7n, 70n),
    lot(4, '2026-01-05', 8n, null),
    lot(5, '2026-01-06', 9n, null),
  ];
  const parcels = parcelsOf(queueOf(...lots).take(37n).slices, fifo);
  assert.deepEqual(
    parcels.map(({ parts, day: _, ...parcel }) => [...Object.values(parcel), parts?.ends, parts?.costs]),
    [
      ['2026-01-05', 9n, null, undefined, undefined],
      ['2026-01-05', 13n, 170n, [6n, 13n], [100n, 170n]],
      ['2026-01-05', 8n, null, undefined, undefined],
      ['2026-01-06', 7n, null, undefined, undefined],
    ],
  );
  const both: Lot = { ...lot(0, '2026-01-05', 13n, 170n), parcel: parcels[1]! };
  const part = { lot: both, from: 1n, to: 8n };
  assert.deepEqual(shown(piecesOf([part])), [
    [0, 1n, 6n],
    [0, 6n, 8n],
  ]);
  assert.deepEqual(piecesOf([part]).map(basisOf), [83n, 20n]);
  assert.deepEqual([basisOf(part), lotKeysOf(part).length], [103n, 2]);
  assert.deepEqual(
    converted([part], 3n, 7n).map(({ lot: { quantity, basis } }) => [quantity, basis]),
    [
      [2n, 83n],
      [1n, 20n],
    ],
  );
  assert.equal(parcelsOf([whole(both)], fifo)[0], parcels[1]);
  assert.deepEqual(
    parcelsOf([part], fifo)[0]!.parts!.parcels.map(({ quantity, basis }) => [quantity, basis]),
    [
      [5n, 83n],
      [2n, 20n],
    ],
  );
});

test('parts of one arrival keep their order, also after conversions', () => {
  const ten = lot(0, '2026-01-05', 40n, 100n);
  const [one, other] = [queueOf(ten), queueOf(ten)];
  const away = Array.from({ length: 39 }, (_, i) => {
    const { slices } = other.take(1n);
    return i % 2 === 0 ? slices : converted(converted(slices, 3n, 1n), 1n, 3n);
  }).reverse();
  one.take(39n);
  one.putAll(away.flat());
  for (const slices of away) other.putAll(slices);
  assert.deepEqual(shown(one), shown(other));
  const places = one.take(40n).slices.map(({ lot: { origin }, from }) => Number(origin?.[0] ?? from));
  assert.deepEqual(places, [...Array(39).keys()]);
});

test('takes and returns conserve units and cents', () => {
  const lots = fc.array(fc.tuple(fc.nat(5), fc.bigInt(1n, 50n), fc.bigInt(0n, 999n)), { minLength: 1, maxLength: 8 });
  const moves = fc.array(fc.tuple(fc.boolean(), fc.bigInt(1n, 40n)), { maxLength: 20 });
  fc.assert(
    fc.property(lots, moves, (given, steps) => {
      const all = given.map(([day, quantity, basis], i) => lot(i, `2026-01-0${day + 1}`, quantity, basis));
      const queue = queueOf(...all);
      const out: Slice[] = [];
      for (const [back, units] of steps) {
        if (back) for (const slice of out.splice(0, Number(units % 3n))) queue.put(slice);
        else out.push(...queue.take(units).slices);
      }
      const parts = [...queue, ...out];
      const units = parts.reduce((sum, { from, to }) => sum + to - from, 0n);
      const cents = parts.reduce((sum, slice) => sum + basisOf(slice)!, 0n);
      assert.equal(
        units,
        all.reduce((sum, { quantity }) => sum + quantity, 0n),
      );
      assert.equal(
        cents,
        all.reduce((sum, { basis }) => sum + basis!, 0n),
      );
      const order = [...queue].map(
        (slice) => `${slice.lot.acquired} ${slice.lot.arrival} ${String(slice.from).padStart(3, '0')}`,
      );
      assert.deepEqual(order, [...order].sort());
    }),
    { numRuns: 1000, seed: 7 },
  );
});
