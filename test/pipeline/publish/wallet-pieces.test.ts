import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../../pipeline/database.js';
import { type WalletPiece, walletPieces } from '../../../pipeline/publish/wallet-pieces.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';

/** A database that gives these rows in chunks of these sizes. */
function chunked(rows: readonly PricedEvent[], sizes: readonly number[]): Database {
  async function* sorted() {
    let start = 0;
    for (let i = 0; start < rows.length; i++) {
      const end = start + (sizes[i] ?? 3);
      yield rows.slice(start, end);
      start = end;
    }
  }
  return { sorted } as unknown as Database;
}

test('however the rows are chunked, each wallet is given whole, in order, and its last piece says so', async () => {
  const wallets = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 12 });
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(wallets, sizes, async (lengths, chunks) => {
      const rows = lengths.flatMap((length, wallet) =>
        Array.from({ length }, (_, position) => ({ address: `wallet ${wallet}`, position }) as PricedEvent),
      );
      const pieces: WalletPiece[] = [];
      for await (const piece of walletPieces(chunked(rows, chunks))) pieces.push(piece);
      assert.deepEqual(
        pieces.flatMap(({ events }) => events),
        rows,
      );
      assert.ok(
        pieces.every(({ address, events }) => events.length > 0 && events.every((event) => event.address === address)),
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
