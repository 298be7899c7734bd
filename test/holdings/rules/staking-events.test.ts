/** Staking by contracts and interchain accounts, without a message in the transaction. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import { foldBlock } from '../../../pipeline/holdings/fold-blocks.js';
import { emitDay } from '../../../pipeline/holdings/modules/stake-rows.js';
import { knownCommissionRate, moduleAccount, operatorAccount } from '../../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { BONDED, type HoldingsState, UNBONDED, UNBONDING } from '../../../pipeline/holdings/state.js';
import { formatDecCoins } from '../../../pipeline/holdings/values/decimal18.js';
import type { ValidatorDay } from '../../../schemas/types.generated.js';
import {
  account,
  block,
  consensus,
  event,
  message,
  openSmallChain,
  operator,
  poolEvents,
  publicKey,
  validatorsOf,
} from '../small-chain.js';

const messages = [message('/cosmwasm.wasm.v1.MsgExecuteContract', {})];
const events = [
  ...poolEvents(0n, 5n),
  event('create_validator', { validator: operator(2), amount: '5uatom', msg_index: '0' }),
];

test('a validator that a contract founds is one like others, but for its key', () => {
  const state = openSmallChain(validatorsOf(1000n));
  const delegation = { validator: operator(2), delegator: account(3), amount: '7uatom' };
  const more = event('delegate', { ...delegation, new_shares: '7.000000000000000000', msg_index: '0' });
  foldBlock(state, block(1, { transaction: { messages, events } }), () => {});
  foldBlock(state, block(2, { transaction: { messages: [], events: [...poolEvents(0n, 7n), more] } }), () => {});
  const { publicKey, consensusAddress, tokens, delegations } = state.validators.get(operator(2))!;
  assert.deepEqual([publicKey, consensusAddress, tokens, delegations.size], ['', '', 12n, 2]);
});

test('its key is learnt when it begins to sign, and it is slashed by that', () => {
  const state = openSmallChain(validatorsOf(1000n));
  const found = (number: number, amount: string) =>
    event('create_validator', { validator: operator(number), amount: `${amount}uatom`, msg_index: '0' });
  const [less, more] = ['3000000', '4000000'];
  const founded = [
    ...poolEvents(0n, 10_000_000n),
    ...[found(4, less), found(3, less), found(2, more)].map((one, i) => ({
      ...one,
      attributes: [...one.attributes, { key: 'authz_msg_index', value: String(i) }],
    })),
  ];
  foldBlock(
    state,
    block(1, {
      transaction: { messages, events: founded },
      end: poolEvents(10_000_000n, -10_000_000n),
      validatorUpdates: [
        { publicKey: publicKey(2), power: 4 },
        { publicKey: publicKey(3), power: 3 },
        { publicKey: publicKey(4), power: 3 },
      ],
    }),
    () => {},
  );
  for (const number of [2, 3, 4]) {
    const { publicKey: key, consensusAddress, status } = state.validators.get(operator(number))!;
    assert.deepEqual([key, consensusAddress, status], [publicKey(number), consensus(number), BONDED]);
    assert.equal(state.validatorsByConsensus.get(consensus(number))?.operator, operator(number));
  }
  const slash = { address: consensus(2), power: '4', reason: 'missing_signature', burned_coins: '40000' };
  const burned = poolEvents(-40_000n, 0n);
  const begin = [...burned, event('slash', { ...slash, jailed: consensus(2) })];
  const left = [{ publicKey: publicKey(2), power: 0 }];
  foldBlock(state, block(2, { begin, end: poolEvents(-3_960_000n, 3_960_000n), validatorUpdates: left }), () => {});
  assert.equal(state.validators.get(operator(2))!.tokens, 3_960_000n);
});

test('a key that does not fit ends the fold', () => {
  const state = openSmallChain(validatorsOf(1000n));
  const founding = event('create_validator', { validator: operator(2), amount: '3000000uatom', msg_index: '0' });
  const parts = {
    transaction: { messages, events: [...poolEvents(0n, 3_000_000n), founding] },
    end: poolEvents(3_000_000n, -3_000_000n),
    validatorUpdates: [{ publicKey: publicKey(2), power: 2 }],
  };
  assert.throws(() => foldBlock(state, block(1, parts), () => {}), /validator updates/);
});

/** Validators with these ATOM, self-delegated. */
const ownStakes = (...amounts: readonly bigint[]) =>
  amounts.map((amount, i) => {
    const tokens = amount * 1_000_000n;
    return { tokens, delegations: [[operatorAccount(operator(i + 1)), tokens]] as const };
  });
const moved = (amount: bigint) => poolEvents(amount, -amount);
const jail = event('slash', { jailed: consensus(2) });

test('a validator that is unjailed without a word is bonded again where consensus is not told of it', () => {
  const state = openSmallChain(ownStakes(9n, 5n, 4n), { maxValidators: 2, providerLimit: 1 });
  state.validators.get(operator(3))!.status = UNBONDED;
  const pool = [...state.moduleAccounts.values()].find(({ name }) => name === 'bonded_tokens_pool')!;
  pool.balances.set('uatom', 14_000_000n);
  const other = [...state.moduleAccounts.values()].find(({ name }) => name === 'not_bonded_tokens_pool')!;
  other.balances.set('uatom', 4_000_000n);
  foldBlock(state, block(1, { begin: [jail], end: moved(-1_000_000n) }), () => {});
  const ran = { messages, events: [event('execute', { msg_index: '0' })] };
  foldBlock(state, block(2, { transaction: ran, end: moved(1_000_000n) }), () => {});
  const status = [2, 3].map((number) => state.validators.get(operator(number))!.status);
  assert.deepEqual(status, [BONDED, UNBONDING]);
  assert.equal(state.validators.get(operator(2))!.jailed, false);
});

test('a validator of whose operator a contract asked more is jailed when less is left', () => {
  const state = openSmallChain(ownStakes(9n, 5n));
  const own = { validator: operator(2), delegator: operatorAccount(operator(2)) };
  const unbonds = (amount: bigint) => ({
    messages,
    events: [
      event('withdraw_rewards', { ...own, amount: '', msg_index: '0' }),
      ...moved(-amount),
      event('unbond', { ...own, amount: `${amount}uatom`, msg_index: '0' }),
    ],
  });
  foldBlock(
    state,
    block(1, {
      transaction: unbonds(2_000_000n),
      end: moved(-3_000_000n),
      validatorUpdates: [{ publicKey: publicKey(2), power: 0 }],
    }),
    () => {},
  );
  const { jailed, status } = state.validators.get(operator(2))!;
  assert.deepEqual([jailed, status], [true, UNBONDING]);
});

test('several that contracts have jailed in one block are those of whom consensus hears that they are gone', () => {
  const state = openSmallChain(ownStakes(9n, 8n, 7n, 6n, 5n), { maxValidators: 3 });
  for (const number of [4, 5]) state.validators.get(operator(number))!.status = UNBONDED;
  const [bonded, other] = ['bonded_tokens_pool', 'not_bonded_tokens_pool'].map(
    (pool) => [...state.moduleAccounts.values()].find(({ name }) => name === pool)!,
  );
  bonded!.balances.set('uatom', 24_000_000n);
  other!.balances.set('uatom', 11_000_000n);
  for (const number of [4, 5]) state.validators.get(operator(number))!.power = 0;
  const validatorUpdates = [0, 0, 5].map((power, i) => ({ publicKey: publicKey([2, 3, 5][i]!), power }));
  const ran = { messages, events: [event('execute', { msg_index: '0' })] };
  foldBlock(state, block(1, { transaction: ran, end: moved(-10_000_000n), validatorUpdates }), () => {});
  const found = [1, 2, 3, 4, 5].map((number) => state.validators.get(operator(number))!);
  assert.deepEqual(
    found.map(({ jailed, status }) => [jailed, status]),
    [
      [false, BONDED],
      [true, UNBONDING],
      [true, UNBONDING],
      [true, UNBONDED],
      [false, BONDED],
    ],
  );
});

test('and of one beside them that did not sign the bonded pool tells', () => {
  const state = openSmallChain(ownStakes(9n, 8n, 7n, 6n), { providerLimit: 3 });
  const validatorUpdates = [2, 3].map((number) => ({ publicKey: publicKey(number), power: 0 }));
  foldBlock(state, block(1, { end: moved(-21_000_000n), validatorUpdates }), () => {});
  const jailed = [1, 2, 3, 4].map((number) => state.validators.get(operator(number))!.jailed);
  assert.deepEqual(jailed, [false, true, true, true]);
});

test('a bonded pool that two validators would explain ends the fold', () => {
  const state = openSmallChain(ownStakes(9n, 5n, 5n), { providerLimit: 1 });
  assert.throws(() => foldBlock(state, block(1, { end: moved(-5_000_000n) }), () => {}), /bonded pool/);
});

test('a validator that a contract unjails is bonded again when consensus is told of it', () => {
  const state = openSmallChain(validatorsOf(5n, 5n));
  const [out, back] = [0, 5].map((power) => [{ publicKey: publicKey(2), power }]);
  foldBlock(state, block(1, { begin: [jail], end: moved(-5_000_000n), validatorUpdates: out! }), () => {});
  const ran = { messages, events: [event('execute', { msg_index: '0' })] };
  foldBlock(state, block(2, { transaction: ran, end: moved(5_000_000n), validatorUpdates: back! }), () => {});
  const { jailed, status } = state.validators.get(operator(2))!;
  assert.deepEqual([jailed, status], [false, BONDED]);
});

test('commission that two validators have is withdrawn by the one of a contract where no message names it', () => {
  const state = openSmallChain(validatorsOf(5n, 5n));
  const [first, founded] = [operator(1), bech32.encodeFromBytes('cosmosvaloper', new Uint8Array(32).fill(9))];
  const given = (validator: string) =>
    ['commission', 'rewards'].map((type) => event(type, { validator, amount: '7.500000000000000000uatom' }));
  const ran = [
    ...poolEvents(0n, 5n),
    event('create_validator', { validator: founded, amount: '5uatom', msg_index: '0' }),
    ...[first, founded].flatMap(given),
    event('withdraw_commission', { amount: '7uatom', msg_index: '0' }),
  ];
  const distribution = moduleAccount('distribution', 'cosmos', sha256);
  const paid = event('coin_received', { receiver: distribution, amount: '15uatom' });
  foldBlock(state, block(1, { transaction: { messages, events: [paid, ...ran] } }), () => {});
  const left = [first, founded].map((one) => formatDecCoins(state.validators.get(one)!.commission, state.denoms));
  assert.deepEqual(left, ['7.500000000000000000uatom', '0.500000000000000000uatom']);
});

describe('commission rates', () => {
  const POINT = 10n ** 16n;
  /** Rates in percent. */
  const ratesOf = (state: HoldingsState) =>
    [...state.validators.values()].map((validator) => {
      const rate = knownCommissionRate(validator);
      return rate === null ? null : rate / POINT;
    });
  const editing = (...rates: readonly string[]) =>
    rates.map((commissionRate, i) =>
      message('/cosmos.staking.v1beta1.MsgEditValidator', {
        validatorAddress: operator(i + 1),
        minSelfDelegation: '',
        commissionRate,
      }),
    );
  const edited = (percent: bigint, index = 0) =>
    event('edit_validator', {
      commission_rate: `commission_rates:<rate:"${percent * POINT}" max_rate:"${100n * POINT}" > `,
      min_self_delegation: '1',
      msg_index: String(index),
    });
  const allocated = (number: number, reward: string, commission: string) => [
    event('commission', { amount: commission, validator: operator(number) }),
    event('rewards', { amount: reward, validator: operator(number) }),
  ];

  test('an edit by a message changes one rate, and an edit without a rate changes none', () => {
    const state = openSmallChain(validatorsOf(1000n, 1000n));
    const transaction = { messages: editing(String(12n * POINT), ''), events: [edited(12n), edited(5n, 1)] };
    foldBlock(state, block(1, { transaction }), () => {});
    assert.deepEqual(ratesOf(state), [12n, 5n]);
  });

  test('after an edit by a contract, other rates are unknown until the next commission', () => {
    const state = openSmallChain(validatorsOf(1000n, 1000n, 1000n));
    const byMessage = { messages: editing(String(7n * POINT)), events: [edited(7n)] };
    foldBlock(state, block(1, { transaction: byMessage }), () => {});
    foldBlock(state, block(2, { transaction: { messages, events: [edited(7n)] } }), () => {});
    assert.deepEqual(ratesOf(state), [7n, null, null]);
    const begin = [...allocated(2, '1000.000000000000000003uatom', '50.0uatom'), ...allocated(3, '9.0uatom', '')];
    foldBlock(state, block(3, { begin }), () => {});
    const days: (bigint | null)[] = [];
    emitDay(state, (_, row) => days.push((row as ValidatorDay).commission_rate));
    assert.deepEqual(days, [7n * POINT, 5n * POINT, 0n]);
  });

  test('a validator that a contract creates has the rate of its first commission', () => {
    const state = openSmallChain(validatorsOf(1000n));
    foldBlock(state, block(1, { transaction: { messages, events } }), () => {});
    assert.deepEqual(ratesOf(state), [5n, null]);
    foldBlock(state, block(2, { begin: allocated(2, '1.0uatom', '0.3uatom') }), () => {});
    assert.deepEqual(ratesOf(state), [5n, null], 'after a reward that is too small');
    foldBlock(state, block(3, { begin: allocated(2, '10.0uatom', '3.0uatom') }), () => {});
    foldBlock(state, block(4, { begin: allocated(2, '10.0ibc/A', '1.0ibc/A') }), () => {});
    assert.deepEqual(ratesOf(state), [5n, 30n], 'after a gift in another denom');
  });
});
