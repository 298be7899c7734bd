/** A model node's answers about holdings, with the names used in recordings. */

import type { Facts } from '../holdings-facts.js';
import { formatTime } from '../holdings-facts.js';
import { BONDED_POOL, type Chain, DISTRIBUTION, NOT_BONDED_POOL } from './chain.js';
import { type Coins, coinsText, decimalText, minus, NO_COINS, plus, toDecimals, truncateInt } from './decimal.js';
import { queryRewards, tokensFromShares } from './distribution.js';

const text = (decimals: Coins) => coinsText(decimals, decimalText);

function addDelegations(facts: Facts, chain: Chain): void {
  const totals = new Map<string, Coins>();
  for (const { delegator, operator, shares } of chain.delegations.values()) {
    const validator = chain.validators.get(operator)!;
    const staked = truncateInt(tokensFromShares(validator, shares));
    facts.set(`delegation ${delegator} ${operator}`, `${decimalText(shares)} ${staked}`);
    const reward = queryRewards(chain, validator, delegator);
    facts.set(`reward ${delegator} ${operator}`, text(reward));
    totals.set(delegator, plus(totals.get(delegator) ?? NO_COINS, reward));
  }
  for (const [delegator, total] of totals) facts.set(`total ${delegator}`, text(total));
}

function addEntries(facts: Facts, { unbondings, redelegations }: Chain): void {
  for (const { delegator, operator, entries } of unbondings.values()) {
    for (const { height, completion, initialBalance, balance } of entries) {
      const name = `unbonding ${delegator} ${operator} ${height} ${formatTime(completion)}`;
      facts.set(name, `${initialBalance} ${balance}`);
    }
  }
  for (const { delegator, operator, destination, entries } of redelegations.values()) {
    entries.forEach(({ height, completion, initialBalance, sharesDst }, i) => {
      const figures = [height, formatTime(completion), initialBalance, decimalText(sharesDst)];
      facts.set(`redelegation ${delegator} ${operator} ${destination} ${i}`, figures.join(' '));
    });
  }
}

/** All figures after a block. */
export function modelFacts(chain: Chain): Facts {
  const facts: Facts = new Map();
  for (const { operator, tokens, shares, status, jailed, rate } of chain.validators.values()) {
    facts.set(`validator ${operator}`, `${tokens} ${decimalText(shares)} ${status} ${jailed}`);
    const { outstanding, commission, slashes } = chain.rewards.get(operator)!;
    facts.set(`outstanding ${operator}`, text(outstanding));
    facts.set(`commission ${operator}`, text(commission));
    facts.set(`rate ${operator}`, decimalText(rate));
    for (const { period, fraction } of slashes) facts.set(`slash ${operator} ${period}`, decimalText(fraction));
  }
  addDelegations(facts, chain);
  addEntries(facts, chain);
  for (const [id, { owner, operator }] of chain.shareRecords) facts.set(`share record ${id}`, `${owner} ${operator}`);
  facts.set('pool', `${chain.balance(BONDED_POOL)} ${chain.balance(NOT_BONDED_POOL)}`);
  facts.set('community pool', text(chain.communityPool));
  return facts;
}

/** @throws Error if the model's sums differ */
export function expectBalanced(chain: Chain): void {
  let owed = chain.communityPool;
  for (const { outstanding } of chain.rewards.values()) owed = plus(owed, outstanding);
  const held = toDecimals(chain.balances.get(DISTRIBUTION) ?? NO_COINS);
  if (minus(held, owed).size > 0) throw new Error('the model holds more rewards than it owes');
  let [bonded, notBonded] = [0n, 0n];
  for (const { status, tokens } of chain.validators.values()) {
    if (status === 'BOND_STATUS_BONDED') bonded += tokens;
    else notBonded += tokens;
  }
  for (const { entries } of chain.unbondings.values()) for (const { balance } of entries) notBonded += balance;
  if (chain.balance(BONDED_POOL) !== bonded) throw new Error("the model's bonded pool is wrong");
  if (chain.balance(NOT_BONDED_POOL) !== notBonded) throw new Error("the model's not bonded pool is wrong");
}
