/** Sums that must hold after every block: pool accounts against stakes, and shares against delegations once a day. */

import { expectEqual, Mismatch } from './holdings-error.js';
import type { BlockContext, HoldingsState, ModuleName } from './state.js';
import { BONDED } from './state.js';
import { fromWhole } from './values/decimal18.js';

const NONE: ReadonlyMap<string, bigint> = new Map();

function balancesOf({ moduleAccounts }: HoldingsState, module: ModuleName): ReadonlyMap<string, bigint> {
  for (const { name, balances } of moduleAccounts.values()) if (name === module) return balances;
  return NONE;
}

/** The pools hold the tokens of bonded validators, and of the others with everything that is unbonding. */
export function expectSums({ state, moved }: BlockContext): void {
  if (!moved) return;
  const balanceOf = (module: ModuleName) => balancesOf(state, module).get(state.bondDenom) ?? 0n;
  let bonded = 0n;
  let notBonded = 0n;
  for (const { status, tokens } of state.validators.values()) {
    if (status === BONDED) bonded += tokens;
    else notBonded += tokens;
  }
  expectEqual(balanceOf('bonded_tokens_pool'), bonded, { what: 'bonded pool' });
  expectEqual(balanceOf('not_bonded_tokens_pool'), notBonded + state.unbonding, {
    what: 'not bonded pool',
  });
}

/** The community pool in 10^-18 base units by denom: what the distribution account holds beyond what validators are owed. */
export function communityPool(state: HoldingsState): Map<string, bigint> {
  const pool = new Map([...balancesOf(state, 'distribution')].map(([denom, balance]) => [denom, fromWhole(balance)]));
  for (const { outstanding } of state.validators.values()) {
    outstanding.forEach((amount, number) => {
      const denom = state.denoms.name(number);
      pool.set(denom, (pool.get(denom) ?? 0n) - amount);
    });
  }
  return pool;
}

/** Checks sums at a day's end: shares add up to their delegations', and no validator is owed more than there is. @throws Mismatch */
export function expectDailySums(state: HoldingsState): void {
  for (const { operator, shares, delegations } of state.validators.values()) {
    let sum = 0n;
    for (const [, held] of delegations.shares()) sum += held;
    expectEqual(shares, sum, { what: 'shares', validator: operator });
  }
  for (const [denom, amount] of communityPool(state)) {
    if (amount < 0n)
      throw new Mismatch({ what: 'community pool', expected: 'at least 0', found: `${amount} ${denom}` });
  }
}
