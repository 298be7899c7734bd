/** Rows of what slashes took: those in transactions, by faults on consumer chains, have the memo that the relayer gave. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import type { SlashLoss } from '../../schemas/types.generated.js';
import { account, block, chain, message, transaction } from '../classify/events.js';
import { openDatabase } from '../open-database.js';
import { collectFacts } from './facts.js';

const relayed = { ...transaction([message('/ibc.core.channel.v1.MsgRecvPacket')], []), memo: 'relayed by somebody' };
const inBlock: SlashLoss = {
  height: 7,
  time: '2026-01-02 03:04:05',
  place: -1,
  tx_hash: 'block:7',
  event: 3,
  delegator: account('alice'),
  validator: account('operator', 'cosmosvaloper'),
  reason: 'missing_signature',
  delegated: 5n,
  unbonding: 0n,
  redelegated: 0n,
};
const inTransaction: SlashLoss = {
  ...inBlock,
  place: relayed.index,
  tx_hash: relayed.hash,
  reason: 'consumer_missing_signature',
};

test('a slash in a transaction has its memo, one of the block has none', async () => {
  const database = await openDatabase({ threads: 1 });
  try {
    await database.append(
      'slash_losses',
      [inBlock, inTransaction],
      await created('folded_slash_losses', 'slash_losses'),
    );
    await database.append(
      'transactions',
      classifyBlock(block([], [relayed]), chain).transactions,
      await created('transactions'),
    );
    await created('proposal_ends');
    await database.execute(
      'create table proposal_deposits (id varchar, address varchar, denom varchar, link varchar, amount decimal(38, 0))',
    );
    await database.execute('create table not_refunds (id varchar)');
    await database.run('tables/module_accounts', { module_accounts: '[]' });
    await database.execute('create table earlier_slashes (address varchar, amount decimal(38, 0), validator varchar)');
    await created('blocks');
    await collectFacts(database);
    await database.run('tables/state_events', { first: 1, opening: 0, native: 'uatom', gov: account('gov') });
    await database.execute('create table oversized_denoms (denom varchar)');
    await database.execute('create table not_commissions (id varchar)');
    await database.run('tables/chain_events');
    const rows = await database.all<{ tx_hash: string; memo: string }>(
      'select tx_hash, memo from chain_events order by position',
    );
    assert.deepEqual(rows, [
      { tx_hash: 'block:7', memo: '' },
      { tx_hash: relayed.hash, memo: 'relayed by somebody' },
    ]);
  } finally {
    database.close();
  }

  async function created(as: string, name = as): Promise<string> {
    await database.create(name, as);
    return as;
  }
});
