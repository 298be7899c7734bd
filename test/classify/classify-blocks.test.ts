/** The whole sample chain: every movement explained, fees once, and nothing unclassified that a classifier is there for. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Database, readSql } from '../../pipeline/base/duckdb/database.js';
import type { Block, ChainEventRecord } from '../../pipeline/chain/block.js';
import {
  type Payment,
  type RowDraft,
  receivedRow,
  type ScopedEvent,
  sentRow,
} from '../../pipeline/classify/classifier.js';
import { type ClassifiedBlock, classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { OpenScope } from '../../pipeline/classify/open-scope.js';
import { assertExplained, OpenPayments } from '../../pipeline/classify/payments.js';
import { makeModuleAccounts } from '../../pipeline/publish/derived-tables.js';
import type { ChainEvent, CoinMovement } from '../../schemas/types.generated.js';
import { openDatabase } from '../open-database.js';
import { account, block, chain, event, message, send, transaction } from './events.js';
import { sampleBlocks } from './sample.js';

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
    const own = new Set([...chain.moduleAccounts, ...shareRecords()]);
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
    await makeModuleAccounts(database, chain);
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
    assertExplained('7-0', new Map([[alice, new Map(changes)]]), rows, chain);
    assert.throws(() => assertExplained('7-0', new Map(), rows, chain), /differ by -11 for \w+ cosmosvaloper1x/);
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
  const [payer, granter, receiver] = [account('payer'), account('granter'), account('receiver')];
  const fee = (from: string) => [
    ...send(from, chain.module('fee_collector'), '5uatom'),
    event('tx', { fee: '5uatom', fee_payer: from }),
  ];
  const sent = send(payer, receiver, '7uatom', { msg_index: '0' });
  /** Details of the rows of the payers of the fee. */
  const detailsOf = (types: readonly string[], events: readonly ChainEventRecord[], code = 0) =>
    classifyBlock(
      block(
        [],
        [
          transaction(
            types.map((type) => message(type)),
            events,
            code,
          ),
        ],
      ),
      chain,
    )
      .events.filter(({ address }) => address !== receiver)
      .map(({ category, detail }) => `${category}: ${detail}`);

  test('a lone fee names each message type once, and counts those beyond three', () => {
    const votes = ['/cosmos.gov.v1.MsgVote', '/cosmos.gov.v1.MsgVote'];
    assert.deepEqual(detailsOf(votes, fee(payer)), ['fee: For cosmos.gov.v1.MsgVote']);
    const many = ['/a.A', '/b.B', '/c.C', '/d.D', '/e.E'];
    assert.deepEqual(detailsOf(many, fee(payer)), ['fee: For a.A, b.B, c.C and 2 more']);
    assert.deepEqual(detailsOf(['/a.A'], fee(payer), 5), ['fee_failed: Failed transaction; For a.A']);
  });

  test('a fee beside another row of its payer stays as it is, and rows of others make no difference', () => {
    const type = '/cosmos.bank.v1beta1.MsgSend';
    assert.deepEqual(detailsOf([type], [...fee(payer), ...sent]), ['fee: ', 'transfer_out: ']);
    const granted = detailsOf([type], [...fee(granter), ...sent]);
    assert.deepEqual(granted, ['fee: For cosmos.bank.v1beta1.MsgSend', 'transfer_out: ']);
    assert.deepEqual(detailsOf([], fee(payer)), ['fee: ']);
  });
});

const [alice, bob] = [account('alice'), account('bob')];
const pay = (index: number, from: string | null, to: string | null, amount = 5n, denom = 'uatom'): Payment => {
  return { index, from, to, denom, amount };
};
const facts = {
  chain,
  phase: 'message',
  height: 7,
  place: '7-0',
  succeeded: true,
  message: undefined,
  via: undefined,
  contracts: new Set<string>(),
  cause: undefined,
  events: [],
} as const;
const open = (payments: readonly Payment[]) => new OpenScope({ ...facts, payments }, new Map([['huge', []]]));
const eventAt = (index: number, amount = ''): ScopedEvent => ({
  index,
  type: 'test',
  get: () => amount,
  address: () => undefined,
});
const always = () => true;

describe('explain', () => {
  test('takes a payment once', () => {
    const payment = pay(1, alice, bob);
    const scope = open([payment]);
    const rows = [sentRow(payment, 'transfer_out'), receivedRow(payment, 'transfer_in')];
    scope.explain([payment], rows);
    assert.deepEqual(scope.unexplained(), []);
    assert.deepEqual(scope.rows, rows);
    assert.throws(() => scope.explain([payment], rows), /event 1 is explained twice/);
  });

  test('module accounts have no rows', () => {
    const payment = pay(1, chain.module('gov'), alice);
    const scope = open([payment, pay(2, chain.module('gov'), chain.module('mint'))]);
    assert.deepEqual(scope.unexplained(), [payment], 'what modules pay each other needs no explanation');
    scope.explain([payment], [sentRow(payment, 'transfer_out'), receivedRow(payment, 'gov_refund')]);
    assert.deepEqual(
      scope.rows.map(({ category }) => category),
      ['gov_refund'],
    );
  });
});

describe('sendBefore', () => {
  test('finds the nearest send before the event, all its coins or none', () => {
    const first = pay(1, alice, bob);
    const two = [pay(3, alice, bob, 5n, 'ibc/A'), pay(3, alice, bob, 5n)];
    const later = pay(9, alice, bob);
    const scope = open([first, ...two, later]);
    const one = [{ denom: 'uatom', amount: 5n }];
    assert.deepEqual(scope.sendBefore(eventAt(5), one, always), [first]);
    assert.deepEqual(scope.sendBefore(eventAt(5), [{ denom: 'ibc/A', amount: 5n }, ...one], always), two);
    assert.deepEqual(scope.sendBefore(eventAt(10), one, always), [later]);
    assert.deepEqual(
      scope.sendBefore(eventAt(10), one, ({ from }) => from === bob),
      [],
    );
    assert.deepEqual(scope.sendBefore(eventAt(1), one, always), []);
  });
});

test('coins of an event: zeros and what is too large are left out', () => {
  const scope = open([]);
  assert.deepEqual(scope.coins(eventAt(0, '0stake'), 'amount'), []);
  assert.deepEqual(scope.coins(eventAt(0, '7huge,8uatom'), 'amount'), [{ denom: 'uatom', amount: 8n }]);
});

/** Acts of a contract in one message. If each act looked at all others, the looks would exceed the bound a hundredfold. */
const TIMES = 4000;

describe('open payments', () => {
  const [contract, alice] = [account('contract'), account('alice')];
  const operator = chain.operatorOf(account('operator'));
  const [distribution, gov, bonded] = ['distribution', 'gov', 'bonded_tokens_pool'].map(chain.module) as [
    string,
    string,
    string,
  ];
  const ofMessage = { key: 'msg_index', value: '0' };
  const escrow = chain.escrow('transfer', 'channel-1');
  /** What a contract may do any number of times in one message, beside paying somebody whom no event names. */
  const acts: Readonly<Record<string, (coin: string, i: number) => ChainEventRecord[]>> = {
    'delegates and undelegates': (amount) => [
      ...send(contract, bonded, amount),
      event('delegate', { amount, validator: operator, delegator: contract }),
      event('withdraw_rewards', { amount: '', validator: operator, delegator: contract }),
      event('unbond', { amount, validator: operator, delegator: contract }),
    ],
    'redelegates, and has rewards paid to an account of the chain': (amount) => [
      ...send(distribution, gov, amount),
      event('withdraw_rewards', { amount, validator: operator, delegator: contract }),
      event('redelegate', { amount, source_validator: operator, destination_validator: operator }),
    ],
    'sends to another chain': (amount, i) => [
      ...send(contract, escrow, amount),
      event('send_packet', { packet_src_port: 'transfer', packet_src_channel: 'channel-1', packet_sequence: `${i}` }),
      event('ibc_transfer', { sender: contract, receiver: 'elsewhere', amount: amount.replace('uatom', '') }),
    ],
  };

  test('what is open before an index, the nearest first, without what was taken', () => {
    const all: Payment[] = [1, 1, 4, 9].map((index) => ({ index, from: null, to: alice, denom: 'uatom', amount: 5n }));
    const payments = new OpenPayments(all);
    const before = (index: number) => [...payments.before(index)].map((payment) => all.indexOf(payment));
    assert.deepEqual(before(9), [2, 1, 0]);
    assert.ok(payments.take(all[1]!));
    assert.ok(!payments.take(all[1]!));
    assert.ok(!payments.take({ ...all[0]! }));
    assert.deepEqual([before(10), before(4), before(1)], [[3, 2, 0], [0], []]);
    for (const place of [3, 0, 2]) assert.ok(payments.take(all[place]!));
    assert.deepEqual(before(10), []);
  });

  test('payments with rows are not read again', () => {
    const made: Payment[] = Array.from({ length: TIMES }, (_, index) => ({
      ...{ index, from: null, to: alice, denom: 'uatom', amount: 5n },
    }));
    let reads = 0;
    const all = new Proxy(made, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name);
      },
    });
    const payments = new OpenPayments(all);
    for (const payment of made.toReversed()) {
      const [nearest] = payments.before(TIMES);
      assert.equal(nearest, payment);
      assert.ok(payments.take(payment));
    }
    assert.ok(reads <= 20 * TIMES, `${reads} reads`);
  });

  for (const [name, act] of Object.entries(acts)) {
    test(`a contract that ${name} thousands of times in one message holds up no night`, (t) => {
      const events = Array.from({ length: TIMES }, (_, i) => [
        ...send(contract, i % 2 ? alice : account('bob'), '7uatom'),
        ...act(`${i + 1}uatom`, i),
      ]).flat();
      const all = [event('execute', { _contract_address: contract }), ...events];
      const inMessage = all.map(({ type, attributes }) => ({ type, attributes: [...attributes, ofMessage] }));
      const execute = message('/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice });
      let looks = 0;
      const { before } = OpenPayments.prototype;
      t.mock.method(OpenPayments.prototype, 'before', function* (this: OpenPayments, index: number) {
        for (const payment of before.call(this, index)) {
          looks++;
          yield payment;
        }
      });
      classifyBlock(block([], [transaction([execute], inMessage)]), chain);
      assert.ok(looks <= 20 * TIMES, `${looks} payments are looked at`);
    });
  }
});
