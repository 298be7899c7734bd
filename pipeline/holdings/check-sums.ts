/** Sums that must hold after every block: pool accounts against stakes, and shares against delegations once a day. */
import { type Amounts, formatDecCoins } from './dec-coins.js';
import { fromWhole } from './decimal18.js';
import { expectEqual, Mismatch } from './holdings-error.js';
import type { BlockContext, HoldingsState, ModuleName } from './state.js';
import { BONDED } from './state.js';

function balanceOf({ moduleAccounts }: HoldingsState, module: ModuleName): Amounts {
  for (const { name, balance } of moduleAccounts.values()) if (name === module) return balance;
  return [];
}

/** The pools hold the tokens of bonded validators, and of the others with everything that is unbonding. */
export function expectSums({ state, moved }: BlockContext): void {
  if (!moved) return;
  const bond = state.denoms.number(state.bondDenom);
  let bonded = 0n;
  let notBonded = 0n;
  for (const { status, tokens } of state.validators.values()) {
    if (status === BONDED) bonded += tokens;
    else notBonded += tokens;
  }
  expectEqual(balanceOf(state, 'bonded_tokens_pool')[bond] ?? 0n, bonded, { what: 'bonded pool' });
  expectEqual(balanceOf(state, 'not_bonded_tokens_pool')[bond] ?? 0n, notBonded + state.unbonding, {
    what: 'not bonded pool',
  });
}

/** The community pool in 10^-18 base units: what the distribution account holds beyond what validators are owed. */
export function communityPool(state: HoldingsState): bigint[] {
  const pool = balanceOf(state, 'distribution').map(fromWhole);
  for (const { outstanding } of state.validators.values()) {
    outstanding.forEach((amount, denom) => {
      pool[denom] = (pool[denom] ?? 0n) - amount;
    });
  }
  return pool;
}

/** At a day's end: shares add up to their delegations', and no validator is owed more than there is. @throws Mismatch */
export function expectDailySums(state: HoldingsState): void {
  for (const { operator, shares, delegations } of state.validators.values()) {
    let sum = 0n;
    for (const delegation of delegations.values()) sum += delegation.shares;
    expectEqual(shares, sum, { what: 'shares', validator: operator });
  }
  const pool = communityPool(state);
  if (pool.some((amount) => amount < 0n)) {
    const found = formatDecCoins(pool, state.denoms);
    throw new Mismatch({ what: 'community pool', expected: 'at least 0', found });
  }
}
