/** Rewinding to a mark restores the marked state byte for byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newDelegation } from '../../pipeline/holdings/modules/delegation.js';
import { newValidator, removeValidator } from '../../pipeline/holdings/modules/validator.js';
import type { HoldingsState, Status } from '../../pipeline/holdings/state.js';
import { markState, returnToMark, type StateMark } from '../../pipeline/holdings/state.js';
import { JournaledMap } from '../../pipeline/holdings/undo-journal.js';
import { addTo } from '../../pipeline/holdings/values/decimal18.js';
import { linesOf } from './recording.js';
import { account, openSmallChain, operator, publicKey } from './small-chain.js';

const open = () =>
  openSmallChain(
    [1, 2, 3].map((i) => ({
      tokens: 5_000_000n * BigInt(i),
      delegations: [1, 2, 3, 4].map((wallet) => [account(wallet), 1_250_000n * BigInt(i)] as const),
    })),
  );

const unbondingEntry = (number: bigint, height: number) => ({
  creationHeight: height,
  completion: number * 10n,
  initialBalance: number,
  balance: number,
  since: height,
});

function change<Value>(
  map: JournaledMap<string, JournaledMap<string, Value>>,
  outer: string,
  inner: string,
  value?: Value,
) {
  const pairs = map.get(outer) ?? new JournaledMap<string, Value>(map.journal);
  if (value === undefined) pairs.delete(inner);
  else pairs.set(inner, value);
  if (pairs.size === 0) map.delete(outer);
  else map.set(outer, pairs);
}

type Mutation = (state: HoldingsState, who: number, wallet: number, number: bigint) => void;

const validatorAt = (state: HoldingsState, who: number) =>
  state.validators.get(operator(who)) ?? newValidator(state, operator(who), publicKey(who));

const undelegate = (state: HoldingsState, who: number, wallet: number) =>
  validatorAt(state, who).delegations.delete(account(wallet));

/** All kinds of changes that rules make. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  delegate: (state, who, wallet, number) => {
    const validator = validatorAt(state, who);
    validator.tokens += number;
    validator.shares += number + 1n;
    validator.period += 1;
    validator.delegations.set(account(wallet), newDelegation(validator, number, state.height));
  },
  undelegate,
  allocate: (state, who, wallet, number) => {
    const validator = validatorAt(state, who);
    const denom = state.denoms.number(`denom${wallet}`); // a denom that may be new
    for (const sum of [validator.current, validator.outstanding, validator.commission]) addTo(sum, denom, number);
  },
  'end a period': (state, who) => {
    const validator = validatorAt(state, who);
    validator.ratio = [...validator.current];
    validator.current.fill(0n);
  },
  slash: (state, who, _, number) => {
    const validator = validatorAt(state, who);
    validator.slashes.push({
      height: state.height,
      period: validator.period,
      fraction: number,
      ratio: validator.ratio,
    });
  },
  'change a validator': (state, who, wallet, number) => {
    Object.assign(validatorAt(state, who), {
      status: (1 + (wallet % 3)) as Status,
      jailed: wallet > 2,
      unbondingTime: number,
      unbondingHeight: wallet,
      minSelfDelegation: number,
      power: wallet,
    });
  },
  'remove a validator': (state, who) => removeValidator(state, validatorAt(state, who)),
  unbond: (state, who, wallet, number) => {
    change(state.unbondings, operator(who), account(wallet), [unbondingEntry(number, state.height)]);
    state.unbonding += number;
  },
  'complete an unbonding': (state, who, wallet) => change(state.unbondings, operator(who), account(wallet)),
  redelegate: (state, who, wallet, number) => {
    const [delegator, destination] = [account(wallet), operator(wallet)];
    const { since, balance, ...entry } = unbondingEntry(number, state.height);
    const entries = [{ ...entry, destinationShares: number }];
    change(state.redelegations, operator(who), `${delegator}/${destination}`, { delegator, destination, entries });
  },
  'complete a redelegation': (state, who, wallet) =>
    change(state.redelegations, operator(who), `${account(wallet)}/${operator(wallet)}`),
  'make a share record': (state, who, wallet) => {
    state.shareRecords.set(String(who), { owner: account(wallet), validator: operator(who), account: account(who) });
  },
  'end a share record': (state, who) => {
    state.shareRecords.delete(String(who));
  },
  'move coins': (state, who, _, number) => {
    for (const { balances } of state.moduleAccounts.values()) balances.set(`denom${who}`, number);
  },
  'change parameters': (state, who, _, number) => {
    state.parameters.maxValidators = who;
    state.parameters.unbondingTime = number;
  },
  'submit or decide a proposal': (state, who) => {
    if (!state.proposals.delete(String(who))) state.proposals.set(String(who), { maxValidators: who });
  },
  guess: (state, who, _, number) => {
    state.guesses.push({
      id: `${state.height}/${who}`,
      validator: operator(who),
      choice: Number(number % 2n),
      choices: 2,
      hasEvidence: false,
    });
  },
  'end a block': (state) =>
    Object.assign(state, { height: state.height + 1, time: state.time + 6n, day: '2026-01-02' }),
};

const step = fc.record({
  name: fc.constantFrom(...Object.keys(MUTATIONS), 'mark', 'undo'),
  who: fc.integer({ min: 1, max: 5 }),
  wallet: fc.integer({ min: 1, max: 6 }),
  number: fc.bigInt(1n, 1n << 100n),
});

test('whatever happens to a state, it can be taken back to every mark, byte for byte', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const state = open();
      const marks: { readonly mark: StateMark; readonly lines: readonly string[] }[] = [];
      const make = () => marks.push({ mark: markState(state), lines: linesOf(state) });
      make();
      for (const { name, who, wallet, number } of steps) {
        if (name === 'mark') make();
        else if (name !== 'undo') MUTATIONS[name]!(state, who, wallet, number);
        else {
          marks.splice(1 + (who % marks.length)); // also to a mark that is not the latest, more than once
          const { mark, lines } = marks.at(-1)!;
          returnToMark(state, mark);
          assert.deepEqual(linesOf(state), lines);
        }
      }
      for (const { mark, lines } of marks.reverse()) {
        returnToMark(state, mark);
        assert.deepEqual(linesOf(state), lines);
        for (const [consensusAddress, validator] of state.validatorsByConsensus) {
          assert.equal(validator.consensusAddress, consensusAddress);
          assert.equal(state.validators.get(validator.operator), validator);
        }
        assert.equal(state.validatorsByConsensus.size, state.validators.size);
      }
    }),
    { numRuns: 300 },
  );
});

test('what is forgotten is not taken back, and is not kept either', () => {
  const state = open();
  const { journal } = state;
  markState(state);
  undelegate(state, 1, 1);
  journal.forget();
  const mark = markState(state);
  assert.equal(mark.journal, 0);
  const lines = linesOf(state);
  undelegate(state, 1, 2);
  returnToMark(state, mark);
  assert.deepEqual(linesOf(state), lines);
  assert.equal(state.validators.get(operator(1))!.delegations.has(account(1)), false);
});
