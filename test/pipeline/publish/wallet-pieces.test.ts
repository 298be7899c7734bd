import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Database } from '../../../pipeline/database.js';
import { segmentText, unpackEvents } from '../../../pipeline/ledger/wallet-pack.js';
import { type WalletPiece, walletPieces } from '../../../pipeline/publish/wallet-pieces.js';
import type { PackedEvent, PricedEvent } from '../../../schemas/types.generated.js';

/** A database that gives these rows in chunks of these sizes. */
function chunked(rows: readonly PackedEvent[], sizes: readonly number[]): Database {
  async function* cut() {
    let start = 0;
    for (let i = 0; start < rows.length; i++) {
      const end = start + (sizes[i] ?? 3);
      yield rows.slice(start, end);
      start = end;
    }
  }
  return { rows: cut } as unknown as Database;
}

test('however the rows are chunked, each wallet is given whole, in order, and its last piece says so', async () => {
  const wallets = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 });
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(wallets, sizes, async (lengths, chunks) => {
      const rows = lengths.flatMap((length, wallet) =>
        Array.from({ length }, (_, row) => ({ address: `wallet ${wallet}`, packed: `row ${row}` })),
      );
      const pieces: WalletPiece[] = [];
      for await (const piece of walletPieces(chunked(rows, chunks))) pieces.push(piece);
      assert.ok(pieces.every(({ packed }) => packed.length > 0));
      assert.deepEqual(
        pieces.flatMap(({ address, packed }) => packed.map((row) => ({ address, packed: row }))),
        rows,
      );
      const ends = pieces.filter(({ last }) => last).map(({ address }) => address);
      assert.deepEqual(
        ends,
        lengths.map((_, wallet) => `wallet ${wallet}`),
      );
      assert.ok(pieces.every(({ address, last }, i) => last === (pieces[i + 1]?.address !== address)));
    }),
    { seed: 4, numRuns: 300 },
  );
});

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const units = fc.bigInt({ min: 0n, max: 10n ** 38n - 1n });
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

/** Amount, denom and price of a side of a row, which may not be there. */
const side = fc.oneof(
  fc.constant({ amount: null, denom: null, price: null }),
  fc.record({ amount: units, denom: text, price: optional(units) }),
);

const event: fc.Arbitrary<PricedEvent> = fc
  .record({
    height: fc.integer({ min: 1, max: 2 ** 40 }),
    id: text,
    time: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
    sides: fc.tuple(side, side, side),
    texts: fc.tuple(text, text, text, text),
    names: fc.tuple(optional(text), optional(text), optional(text), optional(text)),
    to_own_key: fc.boolean(),
    unsolicited: fc.boolean(),
  })
  .map(({ height, id, time, sides: [sent, received, fee], texts, names, to_own_key, unsolicited }) => ({
    address: '',
    height,
    position: 0,
    id,
    time: time.toISOString().slice(0, 19).replace('T', ' '),
    tx_hash: texts[0],
    category: texts[1],
    sent_amount: sent.amount,
    sent_denom: sent.denom,
    received_amount: received.amount,
    received_denom: received.denom,
    fee_amount: fee.amount,
    fee_denom: fee.denom,
    counterparty: names[0],
    validator: names[1],
    reward_trigger: names[2],
    detail: texts[2],
    memo: texts[3],
    link: names[3],
    to_own_key,
    unsolicited,
    sent_price: sent.price,
    received_price: received.price,
    fee_price: fee.price,
  }));

test('a row comes out of its packed text as it was, whatever is written in it', async () => {
  const database = await Database.open({ threads: 1 });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
        const rows = events.map((one, position) => ({ ...one, address: 'wallet', height: 7, position }));
        await database.create('priced_events');
        await database.append('priced_events', rows);
        const found: PricedEvent[] = [];
        for await (const { address, packed } of walletPieces(database)) {
          found.push(...unpackEvents(address, segmentText(packed)));
        }
        assert.deepEqual(found, rows);
      }),
      { seed: 11, numRuns: 60 },
    );
  } finally {
    database.close();
  }
});
