/** x/upgrade and gaia's upgrade handlers. */
import { moduleAccount } from '../../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import { BONDED_POOL, type Chain, DISTRIBUTION, NOT_BONDED_POOL, type Validator } from './chain.js';
import { coin, plus, toDecimals } from './decimal.js';
import { byRank } from './staking.js';

const CONSUMER_POOL = moduleAccount('consumer_rewards_pool', 'cosmos', sha256);

/** BeginUnbondingValidator. */
function beginUnbonding(chain: Chain, validator: Validator): void {
  validator.status = 'BOND_STATUS_UNBONDING';
  validator.unbondingTime = chain.time + chain.parameters.unbondingTime;
  validator.unbondingHeight = chain.height;
}

/** gaia v28.0.0 app/upgrades/v28_0_0/upgrades.go trimBGroupValidators. */
function trimBGroup(chain: Chain, limit: number): void {
  const ranked = [...chain.validators.values()].filter(({ jailed }) => !jailed).sort(byRank);
  const top = new Set(ranked.slice(0, limit).map(({ operator }) => operator));
  let total = 0n;
  for (const operator of [...chain.lastPowers.keys()]) {
    if (top.has(operator)) continue;
    const validator = chain.validators.get(operator)!;
    if (validator.status === 'BOND_STATUS_BONDED') {
      beginUnbonding(chain, validator);
      total += validator.tokens;
    }
    chain.lastPowers.delete(operator);
  }
  if (total === 0n) return;
  chain.sendBonded(BONDED_POOL, NOT_BONDED_POOL, total);
  chain.emit('transfer', { sender: BONDED_POOL, recipient: NOT_BONDED_POOL, amount: `${total}uatom` });
}

/** gaia v28.0.0 app/upgrades/v28_0_0/upgrades.go CreateUpgradeHandler. */
function v28(chain: Chain): void {
  const limit = chain.parameters.providerLimit;
  if (limit > 0 && limit < chain.parameters.maxValidators) {
    chain.parameters = { ...chain.parameters, maxValidators: limit };
    trimBGroup(chain, limit);
  }
  const consumers = coin('ibc/27', 7n);
  chain.mint(DISTRIBUTION, consumers);
  chain.communityPool = plus(chain.communityPool, toDecimals(consumers));
  chain.emit('transfer', { sender: CONSUMER_POOL, recipient: DISTRIBUTION, amount: '7ibc/27' });
  chain.parameters = { ...chain.parameters, providerLimit: 0 };
}

const HANDLERS: Readonly<Record<string, (chain: Chain) => void>> = { 'v28.0.0': v28 };

/** PreBlocker: runs a due handler. */
export function runDuePlan(chain: Chain): void {
  const { plan } = chain;
  if (!plan || plan.height > chain.height) return;
  HANDLERS[plan.name]?.(chain);
  chain.plan = undefined;
}

/**
 * ScheduleUpgrade and CancelUpgrade. The chain also accepts the current height; an export cannot distinguish that from an
 * executed plan, so the model refuses it.
 * @returns false if the message fails
 */
export function decidePlan(chain: Chain, plan: { readonly name: string; readonly height: number } | null): boolean {
  if (plan && plan.height <= chain.height) return false;
  chain.plan = plan ?? undefined;
  return true;
}
