/** Compares the replay with a second FIFO implementation, fifo.sql, on random wallets of one asset. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BIGINT, DuckDBDataChunk } from '@duckdb/node-api';
import type { Database } from '../../../pipeline/base/duckdb/database.js';
import { projectRoot } from '../../../pipeline/base/project.js';
import type { AssetDecision } from '../../../pipeline/books/ledger/decisions.js';
import { BEFORE_INDEX } from '../../../pipeline/books/ledger/opening-coins.js';
import { replayWallet, WalletState } from '../../../pipeline/books/ledger/replay.js';
import { readSlices } from '../../../pipeline/books/ledger/slices.js';
import { USUAL } from '../../../pipeline/books/terms.js';
import type { PricedEvent } from '../../../schemas/types.generated.js';
import { openDatabase } from '../../open-database.js';
import { dayOf } from './random-wallets.js';
import { makeEvent, rules } from './wallets.js';

const WALLETS = 100_000;
const BATCH = 20_000;
const DAYS = 400;
const days = Array.from({ length: DAYS }, (_, n) => dayOf(n));
/** Day of opening coins. Minus the number of a stated lot, also their arrival; both sort before all others. */
const BEFORE = 1000;
const numberOf = new Map(Array.from({ length: DAYS + BEFORE }, (_, n) => [dayOf(n - BEFORE), BigInt(n - BEFORE)]));

type StatedLot = NonNullable<ConstructorParameters<typeof WalletState>[0]['stated']>[number];
type Cell = bigint | null;
const TABLES = {
  lots: ['wallet', 'arrival', 'acquired', 'units', 'price', 'cost', 'kind'],
  disposals: ['wallet', 'n', 'arrived', 'units', 'price'],
  found: ['wallet', 'n', 'acquired', 'units', 'basis', 'proceeds'],
} as const;
type Rows = Record<keyof typeof TABLES, Cell[][]>;

/** Returns whole numbers below `below`, equal in every run (Mulberry32). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Adds one wallet: either lots and disposals mixed, or older lots in any order followed by disposals. */
function tell(wallet: number, below: (n: number) => number, rows: Rows): void {
  const mixed = below(2) === 0;
  const events: PricedEvent[] = [];
  const assets = new Map<string, AssetDecision>();
  const steps = 2 + below(9);
  const lots = 1 + below(steps);
  // Opening coins are a lot of unknown basis before all others, except for the lots that their owner states.
  const held = below(3) === 0 ? BigInt(1 + below(5_000_000)) : 0n;
  const stated: StatedLot[] = [];
  let unstated = held;
  for (let n = below(3); n > 0 && unstated > 0n; n--) {
    const quantity = below(4) === 0 ? unstated : BigInt(1 + below(Number(unstated)));
    const [acquired, basis] = [-1 - below(500), BigInt(below(100_000))];
    stated.push({ denom: 'uatom', quantity, acquired: dayOf(acquired), basis });
    rows.lots.push([BigInt(wallet), BigInt(stated.length - BEFORE), BigInt(acquired), quantity, null, basis, 1n]);
    unstated -= quantity;
  }
  if (unstated > 0n) rows.lots.push([BigInt(wallet), BigInt(-BEFORE), BigInt(-BEFORE), unstated, null, 0n, 2n]);
  let day = 100;
  let arrived = 0;
  for (let i = 0; i < steps; i++) {
    day += below(4);
    const units = BigInt(1 + below(below(3) === 0 ? 9 : 9_000_000));
    const price = below(8) === 0 ? null : BigInt(1 + below(20_000_000));
    const isLot = mixed ? below(5) < 3 : i < lots;
    if (isLot) {
      const kind = below(3);
      const category = kind === 0 ? 'staking_reward' : 'transfer_in';
      const event = makeEvent(i, days[day]!, category, {
        received_amount: units,
        received_denom: 'uatom',
        received_price: price,
      });
      const acquired = kind === 1 && !mixed ? below(day) : day;
      const cost = BigInt(below(100_000));
      if (kind === 1) assets.set(event.id, { mode: 'override', cost, acquired_date: days[acquired]! });
      rows.lots.push([BigInt(wallet), BigInt(arrived++), BigInt(acquired), units, price, cost, BigInt(kind)]);
      events.push(event);
    } else {
      rows.disposals.push([BigInt(wallet), BigInt(i), BigInt(arrived), units, price]);
      events.push(
        makeEvent(i, days[day]!, 'transfer_out', { sent_amount: units, sent_denom: 'uatom', sent_price: price }),
      );
    }
  }
  const opening = held > 0n ? new Map([['uatom', held]]) : undefined;
  for (const entry of replayWallet(
    events,
    { tags: new Map(), assets },
    new WalletState({ ...USUAL, rules, address: 'A', opening, stated }),
  )) {
    if (entry.act !== 'dispose') continue;
    for (const { acquired, quantity, basis, proceeds } of readSlices(entry.slices)) {
      const when = acquired === null ? null : acquired === BEFORE_INDEX ? BigInt(-BEFORE) : numberOf.get(acquired)!;
      rows.found.push([BigInt(wallet), BigInt(entry.height), when, quantity, basis, proceeds]);
    }
  }
}

async function fill(database: Database, name: keyof typeof TABLES, rows: Cell[][]): Promise<void> {
  const columns = TABLES[name];
  await database.execute(`create or replace table ${name} (${columns.map((column) => `${column} bigint`).join(', ')})`);
  const appender = await database.connection.createAppender(name);
  for (let i = 0; i < rows.length; i += 2048) {
    const part = rows.slice(i, i + 2048);
    const chunk = DuckDBDataChunk.create(
      columns.map(() => BIGINT),
      part.length,
    );
    columns.forEach((_, column) => {
      chunk.setColumnValues(
        column,
        part.map((row) => row[column]!),
      );
    });
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

test(`${WALLETS} random wallets: the same slices, to the unit and the cent`, async () => {
  const compare = readFileSync(join(projectRoot(), 'test/books/ledger/fifo.sql'), 'utf8');
  const below = random(20260105);
  const database = await openDatabase();
  try {
    for (let first = 0; first < WALLETS; first += BATCH) {
      const rows: Rows = { lots: [], disposals: [], found: [] };
      for (let wallet = first; wallet < first + BATCH; wallet++) tell(wallet, below, rows);
      assert.ok(rows.found.length > BATCH);
      for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) await fill(database, name, rows[name]);
      assert.deepEqual(await database.all(`from (${compare}) limit 5`), []);
    }
  } finally {
    database.close();
  }
});
