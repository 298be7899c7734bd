/** The interchain-security provider passes only the first bonded validators to CometBFT. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldBlock } from '../../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import { BONDED, type HoldingsState } from '../../../pipeline/holdings/state.js';
import {
  ATOM,
  account,
  block,
  event,
  openSmallChain,
  operator,
  poolEvents,
  publicKey,
  validatorsOf,
} from '../small-chain.js';

/** A new account delegates to a validator. */
const delegation = (height: number, number: number, amount: bigint, updates: Readonly<Record<number, number>>) =>
  block(height, {
    transaction: {
      events: [
        event('delegate', {
          validator: operator(number),
          delegator: account(50 + height),
          amount: `${amount}uatom`,
          new_shares: `${amount}.000000000000000000`,
        }),
        ...poolEvents(amount, 0n),
      ],
    },
    validatorUpdates: Object.entries(updates).map(([of, power]) => ({ publicKey: publicKey(Number(of)), power })),
  });

const powers = (state: HoldingsState) => [...state.validators.values()].map(({ power }) => power);

test('consensus begins with the first of the bonded by power, of equal ones the lower address', () => {
  const state = openSmallChain(validatorsOf(5n, 7n, 5n, 9n), { providerLimit: 3 });
  assert.deepEqual(powers(state), [5, 7, 0, 9]);
});

test('without a provider, and with one that has more room than there are bonded, consensus knows all of them', () => {
  for (const parameters of [{}, { providerLimit: 0 }, { providerLimit: 9 }]) {
    assert.deepEqual(powers(openSmallChain(validatorsOf(5n, 7n, 3n), parameters)), [5, 7, 3]);
  }
});

test('a change beyond the limit is no update; one that crosses it is two; all of them stay bonded', () => {
  const state = openSmallChain(validatorsOf(5n, 7n, 3n), { providerLimit: 2 });
  foldBlock(state, delegation(1, 3, ATOM, {}), () => {});
  foldBlock(state, delegation(2, 3, ATOM, {}), () => {}); // as powerful as the first, whose address is lower
  foldBlock(state, delegation(3, 3, ATOM, { 1: 0, 3: 6 }), () => {});
  assert.deepEqual(powers(state), [0, 7, 6]);
  assert.ok([...state.validators.values()].every(({ status }) => status === BONDED));
});

test('an update that the rule does not give is refused, and so is one that is missing', () => {
  for (const [number, updates] of [
    [3, { 3: 4 }],
    [2, {}],
  ] as const) {
    const state = openSmallChain(validatorsOf(5n, 7n, 3n), { providerLimit: 2 });
    assert.throws(
      () => foldBlock(state, delegation(1, number, ATOM, updates), () => {}),
      (error) => error instanceof HoldingsError && error.difference.what === 'validator updates',
    );
  }
});
