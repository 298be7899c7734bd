/** The reward of one interval: rounding, and which slashes count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mismatch } from '../../../pipeline/holdings/holdings-error.js';
import { stakedTokens, unclaimedReward } from '../../../pipeline/holdings/modules/unclaimed-reward.js';
import { Denoms, formatDecCoins } from '../../../pipeline/holdings/values/dec-coins.js';
import type { ClosedValidator } from '../../../pipeline/holdings/wallet-holdings.js';
import type { DelegationInterval, ValidatorSlash } from '../../../schemas/types.generated.js';

const ONE = 10n ** 18n;
const validator = 'cosmosvaloper1x';
const interval: DelegationInterval = {
  delegator: 'cosmos1x',
  validator,
  from_height: 100,
  to_height: null,
  shares: 1000n * ONE,
  stake: 1000n * ONE,
  start_period: 7,
  start_ratio: '0.100000000000000000uatom',
};
const day: ClosedValidator = {
  validator,
  day: '2026-01-02',
  close_height: 200,
  tokens: 1_000_000n,
  shares: 1_000_000n * ONE,
  ratio: '0.250000000000000000uatom',
};
const slash: ValidatorSlash = {
  validator,
  height: 150,
  period: 9,
  fraction: ONE / 10n,
  ratio: '0.200000000000000000uatom',
};
const slashedDay = { ...day, tokens: 900_000n };

function reward(of: DelegationInterval, at: ClosedValidator, slashes: ValidatorSlash[] = []): string {
  const denoms = new Denoms();
  return formatDecCoins(unclaimedReward(of, at, slashes, denoms), denoms);
}

test('the stake earns the growth of the ratio', () => {
  assert.equal(reward(interval, day), '150.000000000000000000uatom');
});

test('each denom earns for itself, one that came later from zero', () => {
  const at = { ...day, ratio: '0.000000000000000003ibc/A,0.250000000000000000uatom' };
  assert.equal(reward(interval, at), '0.000000000000003000ibc/A,150.000000000000000000uatom');
});

test('a slash cuts the stake from its own ratio on', () => {
  // 1000 × 0.1 before it, 900 × 0.05 after it
  assert.equal(reward(interval, slashedDay, [slash]), '145.000000000000000000uatom');
});

test('a slash in the block of the beginning counts only when its period is later', () => {
  const same = { ...slash, height: 100 };
  assert.equal(reward(interval, slashedDay, [same]), '145.000000000000000000uatom');
  const begunAfter = { ...interval, start_period: 9, start_ratio: slash.ratio, stake: 900n * ONE };
  assert.equal(reward(begunAfter, slashedDay, [same]), '45.000000000000000000uatom');
});

test('a slash after the close does not count yet', () => {
  assert.equal(reward(interval, day, [{ ...slash, height: 201 }]), '150.000000000000000000uatom');
});

test('nothing is due in the block of the beginning', () => {
  assert.equal(reward({ ...interval, from_height: 200 }, day), '');
});

test('a stake above the present tokens by rounding is cut to them; by more, the rows do not belong together', () => {
  const worth = 1000n * ONE;
  const ratio = `${ONE}.000000000000000000uatom`; // makes a difference of 10^-18 in the stake visible
  const from = { ...interval, start_ratio: '' };
  const exact = reward(from, { ...day, ratio });
  assert.equal(reward({ ...from, stake: worth + 3n }, { ...day, ratio }), exact);
  assert.throws(() => reward({ ...from, stake: worth + 4n }, { ...day, ratio }), Mismatch);
});

test('staked tokens are cut off per delegation', () => {
  assert.equal(stakedTokens({ ...interval, shares: 1n + 999n * ONE }, slashedDay), 899n);
});
