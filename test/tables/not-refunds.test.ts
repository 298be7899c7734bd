/** Cancelled proposals whose charge an account gets, and what passed ones send: no recorded chain has either. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import type { ChainEvent, OpeningDeposit } from '../../schemas/types.generated.js';
import { replay } from '../books/ledger/wallets.js';
import { account, block, chain, event, message, send, transaction } from '../classify/events.js';
import { openDatabase } from '../open-database.js';
import { collectFacts } from './facts.js';

const [alice, bob, carol] = [account('alice'), account('bob'), account('carol')];
const gov = chain.module('gov');
const inMessage = { msg_index: '0' };

const classified = (height: number, typeUrl: string, events: readonly ChainEventRecord[]) =>
  classifyBlock({ ...block([], [transaction([message(typeUrl)], events)]), height }, chain);
const deposit = (height: number, depositor: string, amount: string) =>
  classified(height, '/cosmos.gov.v1.MsgDeposit', [
    ...send(depositor, gov, amount, inMessage),
    event('proposal_deposit', { depositor, amount, proposal_id: '8' }, inMessage),
  ]);
/** Payments in their order, the charge last. */
const cancel = (height: number, ...paid: readonly (readonly [string, string])[]) =>
  classified(height, '/cosmos.gov.v1.MsgCancelProposal', [
    ...paid.flatMap(([to, amount]) => send(gov, to, amount, inMessage)),
    event('cancel_proposal', { sender: alice, proposal_id: '8' }, inMessage),
  ]);

interface Story {
  readonly earlier?: readonly ReturnType<typeof classified>[];
  readonly indexed: readonly ReturnType<typeof classified>[];
  readonly opening?: readonly OpeningDeposit[];
  /** With a starting state all deposits are known. */
  readonly allKnown?: boolean;
}

/** The rows of the index with what needs state over blocks. */
async function rowsOf({ earlier = [], indexed, opening = [], allKnown = false }: Story): Promise<ChainEvent[]> {
  const database = await openDatabase({ threads: 1 });
  try {
    for (const [table, blocks] of [
      ['classified_events', indexed],
      ['earlier_chain_events', earlier],
    ] as const) {
      await database.create('chain_events', table);
      await database.append(
        'chain_events',
        blocks.flatMap(({ events }) => events),
        table,
      );
    }
    await database.create('opening_deposits');
    await database.append('opening_deposits', opening);
    await database.create('proposal_ends');
    await database.append(
      'proposal_ends',
      indexed.flatMap(({ proposalEnds }) => proposalEnds),
    );
    await database.create('slash_losses', 'folded_slash_losses');
    await database.create('transactions');
    await database.execute('create or replace table oversized_denoms (denom varchar)');
    await database.run('tables/module_accounts', { module_accounts: JSON.stringify([...chain.moduleAccounts]) });
    const startingHeight = allKnown ? 0 : null;
    await database.create('blocks');
    await database.run('tables/index_span', { first: 1, last: 9, until: 9, stop_day: null, opening: startingHeight });
    await collectFacts(database);
    await database.run('tables/proposal_deposits');
    await database.run('tables/not_refunds', { opening: startingHeight });
    await database.execute('create table earlier_slashes (address varchar, amount decimal(38, 0), validator varchar)');
    await database.run('tables/state_events', { first: 1, opening: startingHeight, native: 'uatom', gov });
    await database.execute('create table not_commissions (id varchar)');
    await database.run('tables/chain_events');
    const rows: ChainEvent[] = [];
    for await (const batch of database.sorted<ChainEvent>('chain_events')) rows.push(...batch);
    return rows.sort((a, b) => a.height - b.height || a.position - b.position);
  } finally {
    database.close();
  }
}

const NAMES = new Map([
  [alice, 'alice'],
  [bob, 'bob'],
  [carol, 'carol'],
]);
const lastBlock = (rows: readonly ChainEvent[]) =>
  rows
    .filter(({ height }) => height === 9)
    .map((row) => `${NAMES.get(row.address)} ${row.category} ${row.received_amount ?? row.sent_amount}`);

const deposits = [deposit(5, alice, '400uatom'), deposit(6, bob, '100uatom')];
const toCarol = cancel(9, [alice, '200uatom'], [bob, '50uatom'], [carol, '250uatom']);

test('an account that deposited nothing gets coins, and no deposit back', async () => {
  const rows = await rowsOf({ indexed: [...deposits, toCarol] });
  assert.deepEqual(lastBlock(rows), [
    'alice gov_refund 200',
    'bob gov_refund 50',
    'carol transfer_in 250',
    'bob gov_deposit_burned 50',
    'alice gov_deposit_burned 200',
  ]);
  const { link, detail, id } = rows.find(({ address }) => address === carol)!;
  assert.deepEqual([link, detail, id], [null, 'Charge for cancelling proposal 8', '9-0-5-0-in']);
  const ofCarol = rows.filter(({ address }) => address === carol);
  const { wallet } = replay(
    ofCarol.map((row) => ({ ...row, sent_price: null, received_price: null, fee_price: null })),
  );
  const { slices } = wallet.holding('uatom').lots.take(250n);
  assert.deepEqual(
    slices.map(({ lot }) => [lot.quantity, lot.basis]),
    [[250n, null]],
  );
});

test('so does a depositor who gets the charge beside its refund', async () => {
  const toBob = cancel(9, [alice, '200uatom'], [bob, '50uatom'], [bob, '250uatom']);
  assert.deepEqual(lastBlock(await rowsOf({ indexed: [...deposits, toBob] })), [
    'alice gov_refund 200',
    'bob gov_refund 50',
    'bob transfer_in 250',
    'bob gov_deposit_burned 50',
    'alice gov_deposit_burned 200',
  ]);
});

test('deposits from before the index count', async () => {
  const opening = [{ address: alice, proposal: '8', denom: 'uatom', amount: 400n }];
  const rows = await rowsOf({ opening, earlier: [deposits[1]!], indexed: [toCarol] });
  assert.ok(lastBlock(rows).includes('carol transfer_in 250'));
});

test('where not all deposits are known, nobody is denied a refund', async () => {
  assert.deepEqual(lastBlock(await rowsOf({ indexed: [deposits[1]!, toCarol] })), [
    'alice gov_refund 200',
    'bob gov_refund 50',
    'carol gov_refund 250',
    'bob gov_deposit_burned 50',
  ]);
});

test('a charge that is burned, and a rate of zero, leave refunds alone', async () => {
  const burned = cancel(9, [alice, '200uatom'], [bob, '50uatom']);
  assert.ok(lastBlock(await rowsOf({ indexed: [...deposits, burned] })).every((row) => !row.includes('transfer_in')));
  const whole = cancel(9, [alice, '400uatom'], [bob, '100uatom']);
  assert.deepEqual(lastBlock(await rowsOf({ indexed: [...deposits, whole] })), [
    'alice gov_refund 400',
    'bob gov_refund 100',
  ]);
});

describe('what a passed proposal sends from the account of governance', () => {
  const pass = (...paid: readonly (readonly [string, string])[]) => {
    const events = [
      ...paid.flatMap(([to, amount]) => send(gov, to, amount, { mode: 'EndBlock' })),
      event('active_proposal', { proposal_id: '8', proposal_result: 'proposal_passed', mode: 'EndBlock' }),
    ];
    return classifyBlock({ ...block(events), height: 9 }, chain);
  };
  const [first, last] = [alice, bob].sort(chain.compareAddresses) as [string, string];

  test('is no deposit back where all deposits are known, whatever its place', async () => {
    const indexed = [deposit(5, first, '400uatom'), pass([first, '400uatom'], [last, '7uatom'])];
    for (const [allKnown, category] of [
      [true, 'transfer_in'],
      [false, 'gov_refund'],
    ] as const) {
      const rows = (await rowsOf({ indexed, allKnown })).filter(({ height }) => height === 9);
      assert.deepEqual(
        rows.map((row) => [row.address, row.category, row.received_amount]),
        [
          [first, 'gov_refund', 400n],
          [last, category, 7n],
        ],
      );
      if (allKnown) assert.deepEqual([rows[1]!.detail, rows[1]!.link], ['Sent by proposal 8', null]);
    }
  });
});
