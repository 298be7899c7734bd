/** The audit of balances where a stranger holds many tokens of nearly as many digits as a column has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSql } from '../../pipeline/base/duckdb/database.js';
import { openDatabase } from '../open-database.js';

/** 2.4 × 10^37 base units each: eight of them are more than a sum holds. */
const TOKENS = 300;
const AMOUNT = `24${'0'.repeat(36)}`;

test('tokens of 38 digits in many accounts are summed up account by account, and what is below zero is found', async () => {
  const database = await openDatabase({ threads: 2 });
  try {
    for (const table of ['opening_balances', 'coin_movements']) await database.create(table);
    const insert = (height: number, amount: string, which = 'true') =>
      database.execute(
        `insert into coin_movements (address, denom, height, place, tx_hash, amount)
          select 'cosmos1stranger', 'factory/' || i, ${height}, 0, '', ${amount} from range(${TOKENS}) numbers(i) where ${which}`,
      );
    await database.execute("insert into opening_balances (address, denom, amount) values ('cosmos1other', 'uatom', 5)");
    await insert(1, AMOUNT);
    await insert(2, `-${AMOUNT}`, 'i = 7');
    await insert(3, '-1', 'i = 7');
    for (const since of [-1, 1, 2]) {
      const parameters = { holdings_until: 3, oversized: [], since };
      const found = await database.all(readSql('audits/balances_not_negative'), parameters);
      assert.deepEqual(found, [{ address: 'cosmos1stranger', denom: 'factory/7', height: 3, least: '-1' }]);
    }
  } finally {
    database.close();
  }
});
