/** Commission left over at a removed validator whose operator has it paid to somebody who runs none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import type { ChainEvent, ValidatorDay, ValidatorName } from '../../schemas/types.generated.js';
import { account, block, chain, send } from '../classify/events.js';
import { openDatabase } from '../open-database.js';
import { collectFacts } from './facts.js';

const [keeper, bob] = [account('keeper'), account('bob')];
const paid = [keeper, bob].flatMap((to) => send(chain.module('distribution'), to, '5uatom', { mode: 'EndBlock' }));
const { events } = classifyBlock(block(paid), chain);

/** A validator of the starting state: what its operator is paid is its own. */
const day: ValidatorDay = {
  validator: chain.operatorOf(keeper),
  day: '2026-01-01',
  close_height: 1,
  tokens: 5n,
  shares: 5n * 10n ** 18n,
  ratio: '',
  commission: '',
  commission_rate: null,
};

type Row = readonly [address: string, category: string, validator: string | null, trigger: string | null];

async function rowsOf(days: readonly ValidatorDay[], names: readonly ValidatorName[] = []): Promise<Row[]> {
  const database = await openDatabase({ threads: 1 });
  try {
    for (const table of ['starting_validator_names', 'earlier_validator_names', 'validator_names']) {
      await database.create('validator_names', table);
    }
    await database.append('validator_names', names);
    await database.create('validator_days', 'folded_validator_days');
    await database.append('validator_days', days, 'folded_validator_days');
    await database.create('chain_events', 'classified_events');
    await database.append('chain_events', events, 'classified_events');
    await database.execute('create table oversized_denoms (denom varchar)');
    await database.execute('create table not_refunds (id varchar)');
    await database.execute(
      `create table state_events (height integer, phase integer, place integer, event integer, address varchar, denom varchar,
        time timestamp, tx_hash varchar, category varchar, amount decimal(38, 0), counterparty varchar, validator varchar,
        detail varchar, memo varchar, link varchar)`,
    );
    await database.run('tables/module_accounts', { module_accounts: JSON.stringify([...chain.moduleAccounts]) });
    await collectFacts(database);
    await database.run('tables/not_commissions');
    await database.run('tables/chain_events');
    const rows: ChainEvent[] = [];
    for await (const batch of database.sorted<ChainEvent>('chain_events')) rows.push(...batch);
    return rows
      .sort((a, b) => a.position - b.position)
      .map(({ address, category, validator, reward_trigger }) => [address, category, validator, reward_trigger]);
  } finally {
    database.close();
  }
}

const commissionOf = (address: string): Row => [
  address,
  'validator_commission',
  chain.operatorOf(address),
  'validator_removed',
];

test('whoever runs no validator has no commission: an operator may have it paid to anybody', async () => {
  assert.deepEqual(await rowsOf([day]), [commissionOf(keeper), [bob, 'transfer_in', null, null]]);
});

test('a validator that the index has seen founded is one', async () => {
  const named = { height: 1, position: 0, validator: chain.operatorOf(bob), moniker: 'of bob' };
  assert.deepEqual(await rowsOf([day], [named]), [commissionOf(keeper), commissionOf(bob)]);
});

test('without a starting state nothing tells', async () => {
  assert.deepEqual(await rowsOf([]), [commissionOf(keeper), commissionOf(bob)]);
});
