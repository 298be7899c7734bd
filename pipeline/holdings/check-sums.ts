/**
 * Checks sums. After each block, the staking pools must hold the sum of all stakes. Once a day, a validator's shares
 * must equal the sum of its delegations' shares. The distribution account must then cover all unpaid rewards. A
 * difference in the starting state is allowed, but must stay constant.
 */
import type { StartingDifference } from '../../schemas/types.generated.js';
import { expectEqual, Mismatch } from './holdings-error.js';
import {
  type BlockContext,
  BONDED,
  type HoldingsState,
  type ModuleName,
  type SumName,
  type Validator,
} from './state.js';
import { formatDecimal18, fromWhole, wholePart } from './values/decimal18.js';

const NONE: ReadonlyMap<string, bigint> = new Map();

function balancesOf({ moduleAccounts }: HoldingsState, module: ModuleName): ReadonlyMap<string, bigint> {
  for (const { name, balances } of moduleAccounts.values()) if (name === module) return balances;
  return NONE;
}

/** Returns the allowed difference of a sum, multiplied by 10^18. @param of denom or operator address */
const differenceOf = ({ differences }: HoldingsState, sum: SumName, of: string): bigint =>
  differences.get(`${sum} ${of}`) ?? 0n;

function expectedPools({ validators, unbonding }: HoldingsState): Record<'bonded' | 'notBonded', bigint> {
  const pools = { bonded: 0n, notBonded: unbonding };
  for (const { status, tokens } of validators.values()) pools[status === BONDED ? 'bonded' : 'notBonded'] += tokens;
  return pools;
}

const poolBalance = (state: HoldingsState, module: ModuleName) => balancesOf(state, module).get(state.bondDenom) ?? 0n;

type Pool = 'bonded_tokens_pool' | 'not_bonded_tokens_pool';

/** Returns a pool's balance minus the difference that the starting state had, in base units. */
const stakesIn = (state: HoldingsState, pool: Pool) =>
  poolBalance(state, pool) - wholePart(differenceOf(state, pool, state.bondDenom));

export const bondedTokens = (state: HoldingsState): bigint => stakesIn(state, 'bonded_tokens_pool');

/** @throws Mismatch if a pool differs from the stakes */
export function expectSums({ state, moved }: BlockContext): void {
  if (!moved) return;
  const { bonded, notBonded } = expectedPools(state);
  expectEqual(bondedTokens(state), bonded, { what: 'bonded pool' });
  expectEqual(stakesIn(state, 'not_bonded_tokens_pool'), notBonded, { what: 'not bonded pool' });
}

/** Returns the balances of the distribution account minus all unpaid rewards, in 10^-18 base units. */
function surplus(state: HoldingsState): Map<string, bigint> {
  const pool = new Map([...balancesOf(state, 'distribution')].map(([denom, balance]) => [denom, fromWhole(balance)]));
  for (const { outstanding } of state.validators.values()) {
    outstanding.forEach((amount, number) => {
      const denom = state.denoms.name(number);
      pool.set(denom, (pool.get(denom) ?? 0n) - amount);
    });
  }
  return pool;
}

export function communityPool(state: HoldingsState): Map<string, bigint> {
  const pool = surplus(state);
  for (const [denom, amount] of pool) pool.set(denom, amount - differenceOf(state, 'community_pool', denom));
  return pool;
}

function sharesBeyond({ shares, delegations }: Validator): bigint {
  let beyond = shares;
  for (const [, held] of delegations.shares()) beyond -= held;
  return beyond;
}

export function expectDailySums(state: HoldingsState): void {
  for (const validator of state.validators.values()) {
    const { operator, shares } = validator;
    const rest = sharesBeyond(validator) - differenceOf(state, 'shares', operator);
    expectEqual(shares, shares - rest, { what: 'shares', validator: operator });
  }
  for (const [denom, amount] of communityPool(state)) {
    if (amount < 0n)
      throw new Mismatch({ what: 'community pool', expected: 'at least 0', found: `${amount} ${denom}` });
  }
}

/**
 * Stores the differences that a starting state already has, so that later checks allow them.
 * @param feePool community pool in 10^-18 base units, if the state contains one
 */
export function keepDifferences(state: HoldingsState, feePool: ReadonlyMap<string, bigint> | undefined): void {
  const keep = (sum: SumName, of: string, difference: bigint) => {
    if (difference !== 0n) state.differences.set(`${sum} ${of}`, difference);
  };
  const { bonded, notBonded } = expectedPools(state);
  keep('bonded_tokens_pool', state.bondDenom, fromWhole(poolBalance(state, 'bonded_tokens_pool') - bonded));
  keep('not_bonded_tokens_pool', state.bondDenom, fromWhole(poolBalance(state, 'not_bonded_tokens_pool') - notBonded));
  for (const validator of state.validators.values()) keep('shares', validator.operator, sharesBeyond(validator));
  if (!feePool) return;
  const found = surplus(state);
  for (const denom of new Set([...found.keys(), ...feePool.keys()])) {
    keep('community_pool', denom, (found.get(denom) ?? 0n) - (feePool.get(denom) ?? 0n));
  }
}

export function startingDifferences({ differences }: HoldingsState): StartingDifference[] {
  return [...differences]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, difference]) => {
      const [sum, of] = name.split(' ') as [SumName, string];
      const magnitude = formatDecimal18(difference < 0n ? -difference : difference);
      return { sum, of, amount: difference < 0n ? `-${magnitude}` : magnitude };
    });
}
