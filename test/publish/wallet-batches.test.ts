import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readLines, writeLines } from '../../pipeline/base/disk/lines.js';
import { createNoOpeningHoldings } from '../../pipeline/publish/derived-tables.js';
import { eventBatches, type WalletBatch, walletBatches } from '../../pipeline/publish/wallet-batches.js';
import { eventsFormat } from '../../pipeline/publish/wallet-index/events-format.js';
import type { PricedEvent } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';

const folder = mkdtempSync(join(tmpdir(), 'hubledger-batches-'));
after(() => rmSync(folder, { recursive: true }));

test('each wallet is given whole, in order, and its last piece says so', () => {
  const length = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 1, max: 9 }) },
    fc.constantFrom(2047, 2048, 2049, 5000),
  );
  const path = join(folder, 'lines');
  fc.assert(
    fc.property(fc.array(length, { maxLength: 12 }), (lengths) => {
      const rows = lengths.flatMap((count, wallet) =>
        Array.from({ length: count }, (_, row) => ({ address: `wallet ${wallet}`, text: `row ${row}` })),
      );
      rmSync(path, { force: true });
      writeLines(
        path,
        rows.map(({ address, text }) => `${address}\t${text}`),
      );
      const batches: WalletBatch[] = [...walletBatches(readLines(path))];
      assert.ok(batches.every(({ rows }) => rows.length > 0 && rows.length <= 2048));
      assert.deepEqual(
        batches.flatMap(({ address, rows }) => rows.map((text) => ({ address, text }))),
        rows,
      );
      const ends = batches.filter(({ last }) => last).map(({ address }) => address);
      assert.deepEqual(
        ends,
        lengths.map((_, wallet) => `wallet ${wallet}`),
      );
      assert.ok(batches.every(({ address, last }, i) => last === (batches[i + 1]?.address !== address)));
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

test('a row comes out of its text as it was, whatever is written in it', async () => {
  const database = await openDatabase({ threads: 1 });
  const path = join(folder, 'rows');
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 40 }), async (events) => {
        const rows = events.map((one, position) => ({ ...one, address: 'wallet', height: 7, position }));
        await database.create('priced_events');
        // The wallet index leaves out the IBC packet, which no answer shows.
        const packets = rows.map((row) => ({ ...row, channel: null, sequence: null }));
        await database.append('priced_events', packets);
        const found: PricedEvent[] = [];
        await createNoOpeningHoldings(database);
        for await (const { address, rows } of eventBatches(database, path)) {
          found.push(...eventsFormat.parse(address, eventsFormat.serialize(rows)));
        }
        assert.deepEqual(found, rows);
      }),
      { seed: 11, numRuns: 60 },
    );
  } finally {
    database.close();
  }
});

test('wallets come in order, with their opening holdings, whatever number of rows is sorted at once', async () => {
  const database = await openDatabase({ threads: 1 });
  try {
    const [first] = fc.sample(event, { seed: 5, numRuns: 1 });
    const blank = { ...first!, channel: null, sequence: null };
    const rows = ['c', 'a', 'b', 'c', 'a', 'c'].map((address, i) => ({ ...blank, address, height: 9 - i, id: `${i}` }));
    await database.create('priced_events');
    await database.append('priced_events', rows);
    await createNoOpeningHoldings(database);
    await database.execute(
      "insert into opening_holdings (address, denom, amount) values ('b', 'uatom', 5), ('d', 'uatom', 7)",
    );
    for (const sorted of [1, 2, 3, 100]) {
      const found: [string, string | undefined, string[], boolean][] = [];
      for await (const { address, opening, rows: texts, last } of eventBatches(database, join(folder, 'sorted'), {
        size: sorted,
      })) {
        found.push([
          address,
          opening,
          eventsFormat.parse(address, eventsFormat.serialize(texts)).map(({ id }) => id),
          last,
        ]);
      }
      assert.deepEqual(found, [
        ['a', undefined, ['4', '1'], true],
        ['b', '{"uatom":"5"}', ['2'], true],
        ['c', undefined, ['5', '3', '0'], true],
        ['d', '{"uatom":"7"}', [], true],
      ]);
    }
  } finally {
    database.close();
  }
});
