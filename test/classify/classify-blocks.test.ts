/** The whole sample chain: every movement explained, fees once, and nothing unclassified that a classifier is there for. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, readSql } from '../../pipeline/base/duckdb/database.js';
import type { Block, ChainEventRecord, Message } from '../../pipeline/chain/block.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import type { RowDraft } from '../../pipeline/classify/classifier.js';
import {
  assertExplained,
  type ClassifiedBlock,
  classifyBlock,
  describeLoneFees,
  liquidChanges,
} from '../../pipeline/classify/classify-blocks.js';
import { makeOwnAccounts } from '../../pipeline/publish/derived-tables.js';
import { loadReference } from '../../pipeline/reference.js';
import type { ChainEvent, CoinMovement } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';
import { account } from './events.js';
import { sampleBlocks } from './sample.js';

const reference = loadReference();
const chain = chainFacts(reference.chain, reference.contracts);
const blocks: { block: Block; classified: ClassifiedBlock }[] = [];
before(() => {
  for (const block of sampleBlocks()) blocks.push({ block, classified: classifyBlock(block, chain) });
});

/** Sums by `<address> <place> <denom>`; zeros are dropped when compared. */
class Sums {
  private readonly sums = new Map<string, bigint>();
  add(address: string, place: string, denom: string, amount: bigint): void {
    const key = `${address} ${place} ${denom}`;
    this.sums.set(key, (this.sums.get(key) ?? 0n) + amount);
  }
  get nonZero(): [string, bigint][] {
    return [...this.sums].filter(([, amount]) => amount !== 0n).sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** The movements of the bank, read without any of the pipeline's code: coin_received − coin_spent. */
function addBank(
  sums: Sums,
  place: string,
  events: readonly ChainEventRecord[],
  isCounted: (address: string) => boolean,
) {
  for (const { type, attributes } of events) {
    if (type !== 'coin_received' && type !== 'coin_spent') continue;
    const value = (key: string) => attributes.find((attribute) => attribute.key === key)?.value ?? '';
    const address = value(type === 'coin_received' ? 'receiver' : 'spender');
    if (!isCounted(address)) continue;
    for (const coin of value('amount').split(',').filter(Boolean)) {
      const [, digits, denom] = coin.match(/^([0-9]+)(.+)$/)!;
      sums.add(address, place, denom!, type === 'coin_received' ? BigInt(digits!) : -BigInt(digits!));
    }
  }
}

function bankSums(isCounted: (address: string) => boolean): Sums {
  const sums = new Sums();
  for (const { block } of blocks) {
    addBank(sums, `block:${block.height}`, block.events, isCounted);
    for (const { hash, events } of block.transactions) addBank(sums, hash, events, isCounted);
  }
  return sums;
}

const allRows = () => blocks.flatMap(({ classified }) => classified.events);
/** Accounts of the share records whose tokens move. */
const shareRecords = () =>
  allMovements().flatMap(({ denom }) =>
    chain.isShareDenom(denom) ? chain.shareRecordAccount(denom.split('/')[1]!) : [],
  );
const allMovements = () => blocks.flatMap(({ classified }) => classified.movements);

describe('the sample chain', () => {
  test('rows of every wallet, transaction and denom add up to what the bank moved', () => {
    const sums = new Sums();
    for (const row of allRows()) {
      assert.ok(!['slash', 'gov_deposit_burned'].includes(row.category));
      // Only the share token is liquid of what goes into and comes out of a delegation.
      const [into, from] = [row.category === 'redeem_shares', row.category === 'tokenize_shares'];
      if (row.received_amount !== null && !into)
        sums.add(row.address, row.tx_hash, row.received_denom!, row.received_amount);
      if (row.sent_amount !== null && !from) sums.add(row.address, row.tx_hash, row.sent_denom!, -row.sent_amount);
      if (row.fee_amount !== null) sums.add(row.address, row.tx_hash, row.fee_denom!, -row.fee_amount);
    }
    const own = new Set([...chain.ownAccounts, ...shareRecords()]);
    const expected = bankSums((address) => !own.has(address)).nonZero;
    assert.equal(expected.length, 10_125);
    assert.deepEqual(sums.nonZero, expected);
  });

  test('movements are those of every account, module accounts too', () => {
    const sums = new Sums();
    for (const { address, tx_hash, denom, amount } of allMovements()) sums.add(address, tx_hash, denom, amount);
    assert.deepEqual(sums.nonZero, bankSums(() => true).nonZero);
  });

  test('a transaction costs its fee once, whoever pays it', () => {
    const fees = new Map<string, ChainEvent[]>();
    for (const row of allRows()) {
      if (row.fee_amount !== null) fees.set(row.tx_hash, [...(fees.get(row.tx_hash) ?? []), row]);
    }
    for (const { block } of blocks) {
      for (const { hash, code, events } of block.transactions) {
        const categories = fees.get(hash)?.map(({ category }) => category) ?? [];
        assert.deepEqual(categories, events.length === 0 ? [] : [code === 0 ? 'fee' : 'fee_failed'], hash);
      }
    }
  });

  test('nothing is unclassified, and every message is of a known type', () => {
    for (const { classified } of blocks) {
      assert.deepEqual([...classified.unclassified], []);
      assert.deepEqual([...classified.unknownTypes], []);
    }
  });

  test('ids are unique, and positions count up in each block', () => {
    const rows = allRows();
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    for (const { classified } of blocks) {
      assert.deepEqual(
        classified.events.map(({ position }) => position),
        classified.events.map((_, i) => i),
      );
    }
  });

  test('every reward says what triggered it, and every staking row its validator', () => {
    for (const row of allRows()) {
      if (/^(staking_reward|validator_commission)$/.test(row.category)) assert.ok(row.reward_trigger, row.id);
      if (
        /^(staking_reward|validator_commission|delegate|undelegate|redelegate|cancel_unbonding|unbonding_complete)$/.test(
          row.category,
        )
      ) {
        assert.match(row.validator ?? '', /^cosmosvaloper1/, row.id);
      }
    }
  });

  test('a redirected reward is three rows of one link and amount', () => {
    const links = new Map<string, ChainEvent[]>();
    for (const row of allRows()) {
      if (row.link?.startsWith(`${row.height}-`)) links.set(row.link, [...(links.get(row.link) ?? []), row]);
    }
    assert.equal(links.size, 43);
    for (const rows of links.values()) {
      const [income, ...rest] = rows.map(({ category }) => category);
      assert.match(income!, /^(staking_reward|validator_commission)$/);
      assert.deepEqual(rest, ['reward_redirected', 'redirected_reward_in']);
      assert.equal(new Set(rows.map((row) => row.received_amount ?? row.sent_amount)).size, 1);
    }
  });
});

describe('audit movements_explained', () => {
  let database: Database;
  before(async () => {
    database = await openDatabase({ threads: 1 });
  });
  after(() => database.close());

  async function differences(rows: readonly ChainEvent[], movements: readonly CoinMovement[]) {
    await database.create('chain_events', 'priced_events');
    await database.append('chain_events', rows, 'priced_events');
    await database.create('coin_movements');
    await database.append('coin_movements', movements);
    await database.create('opening_balances');
    await makeOwnAccounts(database, chain);
    return database.all<Record<string, unknown>>(readSql('audits/movements_explained'));
  }

  test('finds nothing in the sample', async () => {
    assert.deepEqual(await differences(allRows(), allMovements()), []);
  });

  test('finds a row that is a unit off, and a movement without a row', async () => {
    const rows = allRows();
    const sent = rows.findIndex(({ category }) => category === 'transfer_out');
    const dropped = rows.findLastIndex(({ category }) => category === 'staking_reward');
    const wrong = rows.with(sent, { ...rows[sent]!, sent_amount: rows[sent]!.sent_amount! + 1n }).toSpliced(dropped, 1);
    const found = await differences(wrong, allMovements());
    assert.deepEqual(
      found.map(({ address, tx_hash }) => `${address} ${tx_hash}`),
      [rows[sent]!, rows[dropped]!].map(({ address, tx_hash }) => `${address} ${tx_hash}`),
    );
    assert.equal(BigInt(String(found[0]!.bank_says)) - BigInt(String(found[0]!.rows_say)), 1n);
  });
});

describe('sums of rows and bank events', () => {
  const alice = account('alice');
  const coin = { denom: 'uatom', amount: 9n };
  const share = { denom: 'cosmosvaloper1x/1', amount: 9n };
  const row = (category: string, sides: Partial<RowDraft>): RowDraft => ({
    address: alice,
    event: 1,
    category,
    ...sides,
  });
  const moved = (address: string, amount: bigint) => new Map([[address, new Map([['uatom', amount]])]]);

  test('only the share of tokenize and redeem is liquid, and nothing of what was slashed', () => {
    const rows = [
      row('tokenize_shares', { sent: coin, received: { ...share, amount: 20n } }),
      row('redeem_shares', { sent: share, received: coin }),
      row('slash', { sent: coin }),
      row('gov_deposit_burned', { sent: coin }),
      row('fee', { fee: { ...coin, amount: 2n } }),
    ];
    const changes = [
      [share.denom, 11n],
      ['uatom', -2n],
    ] as const;
    assert.deepEqual(liquidChanges(rows), new Map([[alice, new Map(changes)]]));
  });

  describe('assertExplained', () => {
    const check = (amount: bigint, ...rows: RowDraft[]) => assertExplained('7-0', moved(alice, amount), rows, chain);

    test('takes rows that are what the bank moved', () => {
      check(9n, row('transfer_in', { received: coin }));
      check(0n, row('undelegate', { sent: coin, received: coin }));
      assertExplained('7-0', moved(chain.module('gov'), 9n), [], chain);
    });

    test('refuses a missing row, a wrong amount and a row of nothing', () => {
      assert.throws(() => check(9n), /7-0: rows and bank events differ by 9 for cosmos1\w+ uatom/);
      assert.throws(() => check(8n, row('transfer_in', { received: coin })), /differ by -1/);
      assert.throws(
        () => assertExplained('7-0', new Map(), [row('transfer_in', { received: coin })], chain),
        /differ by -9/,
      );
    });
  });
});

/** A fee says what it was paid for where no other row of its payer does. */

describe('lone fees', () => {
  const message = (typeUrl: string) => ({ typeUrl }) as Message;
  const fee = (address: string, more: Partial<RowDraft> = {}): RowDraft => ({
    address,
    category: 'fee',
    event: 0,
    ...more,
  });
  const detailsOf = (rows: readonly RowDraft[], types: readonly string[]) =>
    describeLoneFees(rows, types.map(message)).map(({ detail }) => detail);

  test('a lone fee names each message type once, and counts those beyond three', () => {
    const votes = ['/cosmos.gov.v1.MsgVote', '/cosmos.gov.v1.MsgVote'];
    assert.deepEqual(detailsOf([fee('a')], votes), ['For cosmos.gov.v1.MsgVote']);
    const many = ['/a.A', '/b.B', '/c.C', '/d.D', '/e.E'];
    assert.deepEqual(detailsOf([fee('a')], many), ['For a.A, b.B, c.C and 2 more']);
    const failed = fee('a', { category: 'fee_failed', detail: 'Failed transaction' });
    assert.deepEqual(detailsOf([failed], ['/a.A']), ['Failed transaction; For a.A']);
  });

  test('a fee beside another row of its payer stays as it is, and rows of others make no difference', () => {
    const sent: RowDraft = { address: 'a', category: 'transfer_out', event: 1, detail: 'D' };
    assert.deepEqual(detailsOf([fee('a'), sent], ['/a.A']), [undefined, 'D']);
    assert.deepEqual(detailsOf([fee('granter'), sent], ['/a.A']), ['For a.A', 'D']);
    assert.deepEqual(detailsOf([fee('a')], []), [undefined]);
  });
});
