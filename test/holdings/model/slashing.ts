/** x/staking Slash and its callers: x/slashing for downtime, x/evidence for double signs. */
import { bech32 } from '@scure/base';
import type { DoubleSign } from '../../../pipeline/chain/block.js';
import { consensus, consensusBytes } from '../small-chain.js';
import {
  BOND_DENOM,
  BONDED_POOL,
  type Chain,
  type Entry,
  type Loss,
  NOT_BONDED_POOL,
  pairKey,
  poolOf,
  type Redelegation,
  type Validator,
} from './chain.js';
import { coin, least, mul, quoRoundUp, truncateInt, UNIT } from './decimal.js';
import { incrementPeriod, tokensFromShares } from './distribution.js';
import { unbond } from './staking.js';

export interface Infraction {
  readonly height: number;
  readonly power: number;
  readonly fraction: bigint;
}

/** Losses by delegator in the current slash. */
type Losses = Map<string, Loss>;

function lose(losses: Losses, delegator: string, kind: keyof Loss, amount: bigint): void {
  const loss = losses.get(delegator) ?? { delegated: 0n, unbonding: 0n, redelegated: 0n };
  loss[kind] += amount;
  if (amount > 0n) losses.set(delegator, loss);
}

const isLiable = (chain: Chain, entry: Entry, infraction: number) =>
  entry.height >= infraction && entry.completion > chain.time;

function burn(chain: Chain, pool: string, amount: bigint): void {
  if (amount === 0n) return;
  chain.burn(pool, coin(BOND_DENOM, amount));
  chain.emit('burn', { burner: pool, amount: `${amount}${BOND_DENOM}` });
}

/** Base units by delegation. */
function worths(chain: Chain, validator: Validator): Map<string, bigint> {
  const here = [...chain.delegations.values()].filter(({ operator }) => operator === validator.operator);
  return new Map(here.map(({ delegator, shares }) => [delegator, truncateInt(tokensFromShares(validator, shares))]));
}

/** SlashUnbondingDelegation for all entries. @returns base units due */
function slashUnbondings(chain: Chain, operator: string, { height, fraction }: Infraction, losses: Losses): bigint {
  let asked = 0n;
  for (const unbonding of chain.unbondings.values()) {
    if (unbonding.operator !== operator) continue;
    let burned = 0n;
    for (const entry of unbonding.entries) {
      if (!isLiable(chain, entry, height)) continue;
      const part = truncateInt(fraction * entry.initialBalance);
      asked += part;
      const taken = least(part, entry.balance);
      entry.balance -= taken;
      burned += taken;
    }
    burn(chain, NOT_BONDED_POOL, burned);
    lose(losses, unbonding.delegator, 'unbonding', burned);
  }
  return asked;
}

/** SlashRedelegation. @returns base units due */
function slashRedelegation(
  chain: Chain,
  moved: Redelegation,
  { height, fraction }: Infraction,
  losses: Losses,
): bigint {
  const { delegator, destination } = moved;
  const key = pairKey(delegator, destination);
  const burned = new Map([BONDED_POOL, NOT_BONDED_POOL].map((pool) => [pool, 0n]));
  let asked = 0n;
  for (const entry of moved.entries) {
    if (!isLiable(chain, entry, height)) continue;
    let part = truncateInt(fraction * entry.initialBalance);
    asked += part;
    for (const unbonding of chain.unbondings.get(key)?.entries ?? []) {
      if (!isLiable(chain, unbonding, height)) continue;
      const taken = least(part, unbonding.balance);
      unbonding.balance -= taken;
      part -= taken;
      burned.set(NOT_BONDED_POOL, burned.get(NOT_BONDED_POOL)! + taken);
      lose(losses, delegator, 'unbonding', taken);
    }
    const shares = mul(fraction, entry.sharesDst);
    const delegation = chain.delegations.get(key);
    if (part === 0n || shares === 0n || !delegation) continue;
    const validator = chain.validators.get(destination)!;
    const worth = worths(chain, validator).get(delegator)!;
    const amount = unbond(chain, validator, delegator, least(shares, delegation.shares));
    const left = chain.delegations.has(key) ? worths(chain, validator).get(delegator)! : 0n;
    burned.set(poolOf(validator), burned.get(poolOf(validator))! + amount);
    lose(losses, delegator, 'redelegated', worth - left);
  }
  for (const [pool, amount] of burned) burn(chain, pool, amount);
  return asked;
}

/** Sort key of an address: length, then bytes. */
function rank(address: string): string {
  const { bytes } = bech32.decodeToBytes(address);
  return [bytes.length, ...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Redelegations of a source, by delegator, then destination. */
function redelegationsFrom(chain: Chain, operator: string): Redelegation[] {
  const order = ({ delegator, destination }: Redelegation) => rank(delegator) + rank(destination);
  const moved = [...chain.redelegations.values()].filter((one) => one.operator === operator);
  return moved.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Base units due from all leaving stake, and its initial balance. */
export function askedOfLeaving(chain: Chain, operator: string, { height, fraction }: Infraction) {
  const leaving = [...chain.unbondings.values(), ...chain.redelegations.values()].filter(
    (one) => one.operator === operator,
  );
  let [parts, initial] = [0n, 0n];
  for (const entry of leaving.flatMap(({ entries }) => entries)) {
    if (!isLiable(chain, entry, height)) continue;
    parts += truncateInt(fraction * entry.initialBalance);
    initial += entry.initialBalance;
  }
  return { parts, initial };
}

/** Slash. @returns burned tokens, and losses by delegator */
export function slash(chain: Chain, validator: Validator, infraction: Infraction): { burned: bigint; losses: Losses } {
  const losses: Losses = new Map();
  const { operator } = validator;
  let remaining = truncateInt(mul(BigInt(infraction.power) * 1_000_000n * UNIT, infraction.fraction));
  remaining -= slashUnbondings(chain, operator, infraction, losses);
  for (const moved of redelegationsFrom(chain, operator)) {
    remaining -= slashRedelegation(chain, moved, infraction, losses);
  }
  const burned = remaining < 0n ? 0n : least(remaining, validator.tokens);
  if (burned === 0n) return { burned, losses };
  const effective = least(UNIT, quoRoundUp(burned * UNIT, validator.tokens * UNIT));
  const period = incrementPeriod(chain, validator);
  const record = chain.rewards.get(operator)!;
  record.historical.get(period)!.references += 1;
  record.slashes.push({ height: chain.height, period, fraction: effective });
  const before = worths(chain, validator);
  chain.slow.slash(operator, burned, validator.tokens);
  validator.tokens -= burned;
  const after = worths(chain, validator);
  for (const [delegator, worth] of before) lose(losses, delegator, 'delegated', worth - after.get(delegator)!);
  burn(chain, poolOf(validator), burned);
  return { burned, losses };
}

/** The chain halts if a slash removes the last shares of an unbonded validator. */
function stopsTheChain(chain: Chain, operator: string): boolean {
  return redelegationsFrom(chain, operator).some(({ delegator, destination }) => {
    const validator = chain.validators.get(destination);
    const delegation = chain.delegations.get(pairKey(delegator, destination));
    return validator?.status === 'BOND_STATUS_UNBONDED' && delegation?.shares === validator.shares;
  });
}

export const canBeSlashed = (chain: Chain, validator: Validator | undefined): validator is Validator =>
  validator !== undefined && validator.status !== 'BOND_STATUS_UNBONDED' && !stopsTheChain(chain, validator.operator);

/** An executed slash, for comparison with rows. */
export interface Slashed {
  readonly operator: string;
  readonly reason: string;
  readonly losses: ReadonlyMap<string, Loss>;
}

/** HandleValidatorSignature after too many missed blocks. @returns undefined without effect */
export function slashDowntime(chain: Chain, operator: string, power: number): Slashed | undefined {
  const validator = chain.validators.get(operator);
  if (!canBeSlashed(chain, validator) || validator.jailed) return undefined;
  const infraction = { height: chain.height - 2, power, fraction: chain.parameters.downtime };
  const { burned, losses } = slash(chain, validator, infraction);
  const [address, reason] = [consensus(validator.number), 'missing_signature'];
  chain.emit('slash', { address, power: `${power}`, reason, jailed: address, burned_coins: `${burned}` });
  validator.jailed = true;
  return { operator, reason, losses };
}

/** handleEquivocationEvidence. @returns undefined without effect */
export function slashDoubleSign(chain: Chain, operator: string, power: number, votes: number): Slashed | undefined {
  const validator = chain.validators.get(operator);
  if (!canBeSlashed(chain, validator) || validator.tombstoned) return undefined;
  const infraction = { height: votes - 1, power, fraction: chain.parameters.doubleSign };
  const { burned, losses } = slash(chain, validator, infraction);
  const [address, reason] = [consensus(validator.number), 'double_sign'];
  chain.emit('slash', { address, power: `${power}`, reason, burned_coins: `${burned}` });
  if (!validator.jailed) chain.emit('slash', { jailed: address });
  validator.jailed = true;
  validator.tombstoned = true;
  return { operator, reason, losses };
}

/** Evidence of a double sign. */
export const evidenceOf = ({ number }: Validator, height: number): DoubleSign => ({
  validatorAddress: consensusBytes(number).toString('hex').toUpperCase(),
  height,
});
