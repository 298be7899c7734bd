import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ChainEventRecord, Message, Transaction } from '../../pipeline/chain/block.js';
import type { BankEvent, Coin } from '../../pipeline/classify/classifier.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { netChanges, oversizedDenoms, readPayments } from '../../pipeline/classify/payments.js';
import { cutBlock, cutTransaction, type Part, splitBlock } from '../../pipeline/classify/scopes.js';
import { account, block, chain, event, message, send, transaction } from './events.js';
import { sampleBlocks } from './sample.js';

/** An event of a message; the path as the chain writes it, the innermost first. */
const at = (type: string, ...innermostFirst: number[]): ChainEventRecord => ({
  type,
  attributes: innermostFirst.map((value, i) => ({
    key: i === innermostFirst.length - 1 ? 'msg_index' : 'authz_msg_index',
    value: String(value),
  })),
});

const described = (parts: readonly Part[]) =>
  parts.map(({ phase, message: of, via, events }) => [of?.typeUrl ?? phase, via, ...events.map(({ index }) => index)]);

describe('cutTransaction', () => {
  test('what has no msg_index is before or after the messages', () => {
    const events = [event('use_feegrant', {}), at('delegate', 0), at('delegate', 1), event('other', {})];
    assert.deepEqual(described(cutTransaction(transaction([message('/A'), message('/B')], events))), [
      ['ante', undefined, 0],
      ['/A', undefined, 1],
      ['/B', undefined, 2],
      ['post', undefined, 3],
    ]);
  });

  test('a message that emits nothing but its action still ends what is before it', () => {
    const events = [at('message', 0), event('other', {})];
    assert.deepEqual(described(cutTransaction(transaction([message('/A')], events))), [['post', undefined, 1]]);
  });

  test('nested MsgExec repeats its key: the last is the outermost', () => {
    const exec = '/cosmos.authz.v1beta1.MsgExec';
    const inner = [message('/Deep0'), message('/Deep1')];
    const messages = [message('/First'), message(exec, {}, [message('/X'), message('/Y'), message(exec, {}, inner)])];
    const events = [at('delegate', 1, 2, 1), at('delegate', 0, 2, 1), at('delegate', 1, 1), at('delegate', 0)];
    assert.deepEqual(described(cutTransaction(transaction(messages, events))), [
      ['/Deep1', 'authz', 0],
      ['/Deep0', 'authz', 1],
      ['/Y', 'authz', 2],
      ['/First', undefined, 3],
    ]);
  });

  test("a contract's own MsgExec belongs to the contract's message", () => {
    const events = [at('execute', 0), at('delegate', 0, 0)];
    const parts = cutTransaction(transaction([message('/cosmwasm.wasm.v1.MsgExecuteContract')], events));
    assert.deepEqual(described(parts), [['/cosmwasm.wasm.v1.MsgExecuteContract', 'contract', 0, 1]]);
  });

  test('the outermost way in wins', () => {
    const exec = message('/Exec', {}, [message('/Call')]);
    assert.equal(cutTransaction(transaction([exec], [at('execute', 0, 0)]))[0]!.via, 'authz');
    const packet = [at('execute', 0), at('ics27_packet', 0)];
    assert.equal(cutTransaction(transaction([message('/Recv')], packet))[0]!.via, 'interchain_account');
  });

  test('an event of a message that is not there is refused', () => {
    assert.throws(
      () => cutTransaction(transaction([], [at('delegate', 0)])),
      /names message 0 of a transaction with 0/,
    );
  });
});

test('a block is cut by mode; other modes and none are tolerated', () => {
  const events = ['PreBlock', 'BeginBlock', 'EndBlock'].map((mode) => event('slash', {}, { mode }));
  assert.deepEqual(described(cutBlock([...events, event('slash', {})])), [
    ['PreBlock', undefined, 0],
    ['BeginBlock', undefined, 1],
    ['EndBlock', undefined, 2, 3],
  ]);
});

test('the mode of an event stands behind what a contract calls so, and before what later programs add', () => {
  const { type, attributes } = event('wasm', { mode: 'BeginBlock' });
  const added = ['mode', 'event_index'].map((key) => ({ key, value: key === 'mode' ? 'EndBlock' : '7' }));
  const parts = cutBlock([event('slash', {}, { mode: 'BeginBlock' }), { type, attributes: [...attributes, ...added] }]);
  assert.deepEqual(described(parts), [
    ['BeginBlock', undefined, 0],
    ['EndBlock', 'contract', 1],
  ]);
});

test("events of a fork or an upgrade's handler have no mode, and come before the first event that has one", () => {
  const [first, begin, end] = [{}, { mode: 'BeginBlock' }, { mode: 'EndBlock' }];
  const events = [first, begin, end].map((attributes) => event('slash', {}, attributes));
  assert.deepEqual(described(cutBlock(events)), [
    ['PreBlock', undefined, 0],
    ['BeginBlock', undefined, 1],
    ['EndBlock', undefined, 2],
  ]);
});

type Unplaced = Omit<BankEvent, 'index'>;
const placed = (events: readonly Unplaced[]): BankEvent[] => events.map((event, index) => ({ ...event, index }));
const uatom = (amount: bigint): Coin[] => [{ denom: 'uatom', amount }];
const spent = (address: string, coins: Coin[]): Unplaced => ({ type: 'coin_spent', address, coins });
const received = (address: string, coins: Coin[]): Unplaced => ({ type: 'coin_received', address, coins });

describe('readPayments', () => {
  test('a multi-send is one payer with a payment for each receiver', () => {
    const bank = placed([spent('a', uatom(5n)), received('b', uatom(3n)), received('c', uatom(2n))]);
    assert.deepEqual(readPayments(bank), [
      { index: 1, from: 'a', to: 'b', denom: 'uatom', amount: 3n },
      { index: 2, from: 'a', to: 'c', denom: 'uatom', amount: 2n },
    ]);
  });

  test('a burn has no receiver, and the mint after it no payer', () => {
    const bank = placed([
      spent('a', uatom(5n)),
      { type: 'burn', address: 'a', coins: uatom(5n) },
      received('m', uatom(5n)),
      { type: 'coinbase', address: 'm', coins: uatom(5n) },
    ]);
    assert.deepEqual(readPayments(bank), [
      { index: 0, from: 'a', to: null, denom: 'uatom', amount: 5n },
      { index: 2, from: null, to: 'm', denom: 'uatom', amount: 5n },
    ]);
  });

  test('what is received beyond what was spent comes from nobody known', () => {
    const bank = placed([spent('a', uatom(5n)), received('b', uatom(6n))]);
    assert.deepEqual(
      readPayments(bank).map(({ from, to, amount }) => [from, to, amount]),
      [
        ['a', null, 5n],
        [null, 'b', 6n],
      ],
    );
  });

  test('payments add up to the bank events, whatever their order', () => {
    const denom = fc.constantFrom('uatom', 'ibc/A', 'ibc/B');
    const coins = fc.uniqueArray(fc.record({ denom, amount: fc.bigInt(1n, 10n ** 30n) }), {
      selector: (coin) => coin.denom,
    });
    const bankEvent = fc.record({
      type: fc.constantFrom('coin_spent', 'coin_received', 'coinbase', 'burn'),
      address: fc.constantFrom('a', 'b', 'c'),
      coins,
    });
    fc.assert(
      fc.property(fc.array(bankEvent, { maxLength: 30 }), (events) => {
        const bank = placed(events as Unplaced[]);
        const nets = netChanges(bank);
        for (const { from, to, denom: of, amount } of readPayments(bank)) {
          if (from !== null) nets.get(from)!.set(of, nets.get(from)!.get(of)! + amount);
          if (to !== null) nets.get(to)!.set(of, nets.get(to)!.get(of)! - amount);
        }
        for (const denoms of nets.values()) for (const amount of denoms.values()) assert.equal(amount, 0n);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

test('a denom is oversized when its events together exceed 38 digits', () => {
  const half = 5n * 10n ** 37n;
  const bank = [
    ...placed([spent('a', [{ denom: 'huge', amount: half }]), received('b', [{ denom: 'huge', amount: half }])]),
    ...placed([spent('a', [{ denom: 'large', amount: half - 1n }]), received('b', [{ denom: 'large', amount: half }])]),
  ];
  assert.deepEqual([...oversizedDenoms(bank)], [['huge', ['a', 'b']]]);
});

/** Share records have no limit to their number: a transaction says by itself which of its accounts belong to one. */

const validator = account('validator', 'cosmosvaloper');
const [alice, distribution] = [account('alice'), chain.module('distribution')];
/** A record of the real chain that paid its owner in July 2026, and its account. */
const RECORD = '59712';
const record = chain.shareRecordAccount(RECORD);
const token = `${validator}/${RECORD}`;
const AT = { msg_index: '0' };

const classified = (type: string, events: readonly ChainEventRecord[]) =>
  classifyBlock(block([], [transaction([message(type)], events)]), chain);

const rowsOf = (type: string, events: readonly ChainEventRecord[]) =>
  classified(type, events).events.map(({ address, category, sent_amount, received_amount }) => ({
    address,
    category,
    sent_amount,
    received_amount,
  }));

const withdrawal = (delegator: string, amount: string) => [
  ...(amount === '' ? [] : send(distribution, delegator, amount, AT)),
  event('withdraw_rewards', { amount, validator, delegator }, AT),
];

test('rewards of records that were made before the index reach their owner, and make no wallet', () => {
  const others = ['59713', '7'].map(chain.shareRecordAccount);
  const events = [
    ...[record, ...others].flatMap((one) => [...withdrawal(one, '5uatom'), ...send(one, alice, '5uatom', AT)]),
    event('withdraw_tokenize_share_reward', { withdraw_address: alice, amount: '15uatom' }, AT),
  ];
  const rows = rowsOf('/gaia.liquid.v1beta1.MsgWithdrawAllTokenizeShareRecordReward', events);
  assert.deepEqual(
    rows.map((row) => [row.address, row.category, row.received_amount]),
    [1, 2, 3].map(() => [alice, 'liquid_stake_reward', 5n]),
  );
});

test('what the owner, a contract too, withdraws for itself in the same message stays its own', () => {
  const contract = chain.shareRecordAccount('not a record'); // 32 bytes, as contracts have
  const events = [
    ...withdrawal(contract, '3uatom'),
    ...withdrawal(record, '5uatom'),
    ...send(record, contract, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: contract, amount: '5uatom' }, AT),
  ];
  const rows = rowsOf('/cosmwasm.wasm.v1.MsgExecuteContract', events);
  assert.deepEqual(
    rows.map((row) => [row.address, row.category, row.received_amount]),
    [
      [contract, 'staking_reward', 3n],
      [contract, 'liquid_stake_reward', 5n],
    ],
  );
});

test('so does what another contract withdraws that the owner calls', () => {
  const [vault, owner] = ['a vault', 'an owner'].map(chain.shareRecordAccount) as [string, string];
  for (const harvest of [
    [event('execute', { _contract_address: vault }, AT), ...withdrawal(vault, '3uatom')],
    [
      event('execute', { _contract_address: vault }, AT),
      ...withdrawal(vault, '3uatom'),
      ...send(vault, owner, '3uatom', AT),
    ],
    withdrawal(vault, '3uatom'), // by a grant, without running
    [...withdrawal(vault, '3uatom'), ...send(vault, owner, '3uatom', AT)],
    [...withdrawal(vault, '3uatom'), ...send(vault, owner, '2uatom', AT)],
  ]) {
    const events = [
      event('execute', { _contract_address: owner }, AT),
      ...harvest,
      ...withdrawal(record, '5uatom'),
      ...send(record, owner, '5uatom', AT),
      event('withdraw_tokenize_share_reward', { withdraw_address: owner, amount: '5uatom' }, AT),
    ];
    const block = classified('/cosmwasm.wasm.v1.MsgExecuteContract', events);
    const [first] = block.events;
    assert.deepEqual([first?.address, first?.category, first?.received_amount], [vault, 'staking_reward', 3n]);
    assert.deepEqual(
      block.shareRewards.map(({ delegator }) => delegator),
      [record],
    );
  }
});

test('an interchain account that sends itself a reward before it withdraws those of its records stays a wallet', () => {
  const owner = chain.shareRecordAccount('an interchain account');
  const events = [
    ...withdrawal(owner, '3uatom'),
    ...send(owner, owner, '3uatom', AT),
    ...withdrawal(record, '5uatom'),
    ...send(record, owner, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: owner, amount: '5uatom' }, AT),
    event('ics27_packet', { success: 'true' }, AT),
  ];
  assert.deepEqual(
    rowsOf('/ibc.core.channel.v1.MsgRecvPacket', events).map((row) => [row.address, row.category, row.received_amount]),
    [
      [owner, 'staking_reward', 3n],
      [owner, 'self_transfer', 3n],
      [owner, 'liquid_stake_reward', 5n],
    ],
  );
});

test('the last record that is redeemed sends on what it has, and no account before it is a record', () => {
  const vault = chain.shareRecordAccount('a vault');
  const events = [
    event('execute', { _contract_address: alice }, AT),
    ...withdrawal(vault, '3uatom'),
    ...send(vault, alice, '3uatom', AT),
    ...withdrawal(record, '5uatom'),
    ...send(chain.module('bonded_tokens_pool'), chain.module('not_bonded_tokens_pool'), '9uatom', AT),
    ...send(record, alice, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: alice, amount: '5uatom' }, AT),
  ];
  const found = classified('/cosmwasm.wasm.v1.MsgExecuteContract', events);
  assert.deepEqual(
    found.shareRewards.map(({ delegator }) => delegator),
    [record],
  );
});

test('records of two owners in one message, one of them without a reward', () => {
  const other = chain.shareRecordAccount('59713');
  const events = [
    ...withdrawal(record, '5uatom'),
    ...send(record, alice, '5uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: alice, amount: '5uatom' }, AT),
    ...withdrawal(chain.shareRecordAccount('59714'), ''),
    ...withdrawal(other, '7uatom'),
    ...send(other, account('bob'), '7uatom', AT),
    event('withdraw_tokenize_share_reward', { withdraw_address: account('bob'), amount: '7uatom' }, AT),
  ];
  assert.deepEqual(
    rowsOf('/cosmwasm.wasm.v1.MsgExecuteContract', events).map((row) => [
      row.address,
      row.category,
      row.received_amount,
    ]),
    [
      [alice, 'liquid_stake_reward', 5n],
      [account('bob'), 'liquid_stake_reward', 7n],
    ],
  );
});

test('a record that tokenizing makes and redeeming ends has no row', () => {
  const pool = chain.module('not_bonded_tokens_pool');
  const through = (...accounts: string[]) => accounts.slice(1).flatMap((to, i) => send(accounts[i]!, to, '9uatom', AT));
  const tokenize = [
    ...through(pool, alice, record, pool),
    ...send(chain.module('mint'), alice, `9${token}`, AT),
    event(
      'tokenize_shares',
      { delegator: alice, validator, share_owner: alice, share_record_id: RECORD, tokenized_shares: `9${token}` },
      AT,
    ),
  ];
  const redeem = [
    ...withdrawal(record, '2uatom'),
    ...through(pool, record, alice, pool),
    ...send(alice, chain.module('mint'), `9${token}`, AT),
    event('redeem_shares', { delegator: alice, validator, amount: `9${token}` }, AT),
  ];
  for (const [type, events] of [
    ['TokenizeShares', tokenize],
    ['RedeemTokensForShares', redeem],
  ] as const) {
    const rows = rowsOf(`/gaia.liquid.v1beta1.Msg${type}`, events);
    assert.deepEqual([...new Set(rows.map(({ address }) => address))], [alice], type);
  }
});

/** Signers count as having asked for what arrives: signers, granters inside authz, and nobody in a block's own events. */

const [ann, bob, relayer] = [account('ann'), account('bob'), account('relayer')];
const signed = (...signers: string[]): ChainEventRecord[] => [
  ...signers.map((signer, n) => event('tx', { acc_seq: `${signer}/${n}` })),
  event('tx', { signature: 'c2lnbmVk' }),
];
const signersOf = (one: Transaction) => splitBlock(block([], [one]), chain)[1]!.signers;
const exec = (...inner: Message[]) => message('/cosmos.authz.v1beta1.MsgExec', { grantee: relayer }, inner);

test('every signature has an account; one in capitals is the same', () => {
  const signers = signersOf(transaction([], signed(ann, bob.toUpperCase())));
  assert.deepEqual([...signers], [ann, bob]);
});

test('who granted a message agreed to it, however deep it lies; whom it pays did not', () => {
  const inner = message('/cosmos.bank.v1beta1.MsgSend', { fromAddress: ann, toAddress: bob });
  const claim = message('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', { delegatorAddress: bob });
  assert.deepEqual([...signersOf(transaction([exec(inner)], signed(relayer)))], [relayer, ann]);
  assert.deepEqual([...signersOf(transaction([exec(exec(claim))], signed(relayer)))], [relayer, bob]);
  const outer = message('/cosmos.bank.v1beta1.MsgSend', { fromAddress: ann, toAddress: bob });
  assert.deepEqual([...signersOf(transaction([outer], signed(relayer)))], [relayer], 'an outer message is signed');
});

test('whom a new validator names as its delegator did not agree to anything', () => {
  const creation = message('/cosmos.staking.v1beta1.MsgCreateValidator', { delegatorAddress: bob });
  assert.deepEqual([...signersOf(transaction([exec(creation)], signed(relayer)))], [relayer]);
});

test('a row is unsolicited exactly when its receiver neither signed nor granted', () => {
  const inside = { msg_index: '0' };
  const rows = (signers: string[]) => {
    const events = [...signed(...signers), ...send(ann, bob, '5uatom', inside)];
    const sends = transaction([message('/cosmos.bank.v1beta1.MsgSend')], events);
    return classifyBlock(block([], [sends]), chain).events.map((row) => [row.category, row.unsolicited]);
  };
  const flags = (unsolicited: boolean) => [
    ['transfer_out', false],
    ['transfer_in', unsolicited],
  ];
  assert.deepEqual(rows([ann]), flags(true));
  assert.deepEqual(rows([ann, bob]), flags(false));
  const [collector] = chain.feeCollectors;
  const tip = classifyBlock(block([], [transaction([], [...signed(ann), ...send(collector!, bob, '5uatom')])]), chain);
  assert.deepEqual(
    tip.events.map((row) => [row.detail, row.unsolicited]),
    [["Tip of a transaction's fee to the block's proposer", false]],
  );
  const own = classifyBlock(block(send(chain.module('gov'), bob, '5uatom')), chain).events;
  assert.deepEqual(
    own.map((row) => row.unsolicited),
    [false],
    'what the chain does itself',
  );
});

test('every transaction of the sample that got past its signatures has a signer', () => {
  let transactions = 0;
  for (const { transactions: all } of sampleBlocks()) {
    for (const one of all.filter(({ events }) => events.length > 0)) {
      assert.ok(signersOf(one).size > 0, one.hash);
      transactions++;
    }
  }
  assert.ok(transactions > 2000);
});

describe('virtual sends of SDK 0.54: a transaction spends, the collector receives the sum at the end of the block', () => {
  const collector = chain.module('fee_collector');
  const spend = (name: string, amount: string, more = {}) =>
    event('coin_spent', { spender: account(name), amount }, more);
  const received = (amount: string, type = 'coin_received') =>
    event(type, { [type === 'coinbase' ? 'minter' : 'receiver']: collector, amount }, { mode: 'EndBlock' });
  const rowsOf = (end: readonly ChainEventRecord[], ...spends: readonly ChainEventRecord[][]) => {
    const transactions = spends.map((events, index) => ({
      ...transaction([message('/cosmos.bank.v1beta1.MsgBurn')], events),
      index,
      hash: `${index}`,
    }));
    return classifyBlock(block(end, transactions), chain).events.map((row) => [
      row.category,
      row.address,
      row.fee_amount ?? row.sent_amount,
    ]);
  };

  test('fees are fees, and the receipt is no row', () => {
    assert.deepEqual(rowsOf([received('12uatom')], [spend('alice', '5uatom')], [spend('bob', '7uatom')]), [
      ['fee', account('alice'), 5n],
      ['fee', account('bob'), 7n],
    ]);
  });

  test('burned and minted coins are none', () => {
    const inMessage = { msg_index: '0' };
    const burn = [
      spend('carol', '3uatom', inMessage),
      event('burn', { burner: account('carol'), amount: '3uatom' }, inMessage),
    ];
    assert.deepEqual(rowsOf([received('5uatom')], [spend('alice', '5uatom')], burn)[0], ['fee', account('alice'), 5n]);
    const minted = [received('5uatom'), received('5uatom', 'coinbase')];
    assert.deepEqual(rowsOf(minted, [spend('alice', '5uatom')]), [['unclassified', account('alice'), 5n]]);
  });

  test('other sums stay unclassified', () => {
    assert.deepEqual(rowsOf([received('6uatom')], [spend('alice', '5uatom')]), [
      ['unclassified', account('alice'), 5n],
    ]);
    assert.deepEqual(rowsOf([], [spend('alice', '5uatom')]), [['unclassified', account('alice'), 5n]]);
  });
});
