/** Holdings as facts that can be compared: a name and the chain's text for its value. */
import { communityPool } from '../../pipeline/holdings/check-sums.js';
import { stakedTokens, unclaimedReward } from '../../pipeline/holdings/day-holdings.js';
import { accruedReward, tokensFromShares } from '../../pipeline/holdings/modules/delegation.js';
import { closingRatio, knownCommissionRate } from '../../pipeline/holdings/modules/validator.js';
import { BONDED, type Emit, type HoldingsState, type HoldingsTables } from '../../pipeline/holdings/state.js';
import {
  type Amounts,
  addAll,
  Denoms,
  formatDecCoins,
  formatDecimal18,
  wholePart,
} from '../../pipeline/holdings/values/decimal18.js';

export type Facts = Map<string, string>;

/** Formats a block's time as the chain does, with nanoseconds. */
export function formatTime(time: bigint): string {
  const seconds = new Date(Number(time / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${(time % 1_000_000_000n).toString().padStart(9, '0')}Z`;
}

const poolText = (pool: ReadonlyMap<string, bigint>) =>
  [...pool]
    .filter(([, amount]) => amount !== 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([denom, amount]) => formatDecimal18(amount) + denom)
    .join(',');

const STATUSES = ['', 'BOND_STATUS_UNBONDED', 'BOND_STATUS_UNBONDING', 'BOND_STATUS_BONDED'];

/** Returns the facts of the fold's state after a block. */
export function stateFacts(state: HoldingsState): Facts {
  const facts: Facts = new Map();
  const text = (amounts: Amounts) => formatDecCoins(amounts, state.denoms);
  const totals = new Map<string, bigint[]>();
  let bonded = 0n;
  let notBonded = state.unbonding;
  for (const validator of state.validators.values()) {
    const { operator, tokens, shares, status, jailed, slashes } = validator;
    if (status === BONDED) bonded += tokens;
    else notBonded += tokens;
    facts.set(`validator ${operator}`, `${tokens} ${formatDecimal18(shares)} ${STATUSES[status]} ${jailed}`);
    facts.set(`outstanding ${operator}`, text(validator.outstanding));
    facts.set(`commission ${operator}`, text(validator.commission));
    const rate = knownCommissionRate(validator);
    if (rate !== null) facts.set(`rate ${operator}`, formatDecimal18(rate));
    for (const { period, fraction } of slashes) facts.set(`slash ${operator} ${period}`, formatDecimal18(fraction));
    const end = { height: state.height, tokens, shares, ratio: closingRatio(validator) };
    for (const [delegator, delegation] of validator.delegations) {
      const staked = wholePart(tokensFromShares(delegation.shares, validator));
      facts.set(`delegation ${delegator} ${operator}`, `${formatDecimal18(delegation.shares)} ${staked}`);
      const reward = accruedReward(delegation, slashes, end);
      facts.set(`reward ${delegator} ${operator}`, text(reward));
      const total = totals.get(delegator) ?? [];
      addAll(total, reward);
      totals.set(delegator, total);
    }
  }
  for (const [delegator, total] of totals) facts.set(`total ${delegator}`, text(total));
  facts.set('pool', `${bonded} ${notBonded}`);
  facts.set('community pool', poolText(communityPool(state)));
  for (const [id, { owner, validator }] of state.shareRecords) facts.set(`share record ${id}`, `${owner} ${validator}`);
  addEntries(facts, state);
  return facts;
}

function addEntries(facts: Facts, { unbondings, redelegations }: HoldingsState): void {
  for (const [operator, pairs] of unbondings) {
    for (const [delegator, entries] of pairs) {
      for (const { creationHeight, completion, initialBalance, balance } of entries) {
        const name = `unbonding ${delegator} ${operator} ${creationHeight} ${formatTime(completion)}`;
        facts.set(name, `${initialBalance} ${balance}`);
      }
    }
  }
  for (const [source, all] of redelegations) {
    for (const { delegator, destination, entries } of all.values()) {
      entries.forEach(({ creationHeight, completion, initialBalance, destinationShares }, i) => {
        facts.set(
          `redelegation ${delegator} ${source} ${destination} ${i}`,
          [creationHeight, formatTime(completion), initialBalance, formatDecimal18(destinationShares)].join(' '),
        );
      });
    }
  }
}

/** Base units at a day's close; rewards in 10^-18 base units by denom. */
interface DayHoldings {
  readonly staked: bigint;
  readonly unbonding: bigint;
  readonly rewards: readonly bigint[];
  /** Unclaimed rewards by validator, as the chain formats decimal coins. */
  readonly rewardsByValidator: Facts;
}

/** All rows of the fold, and holdings computed from the rows alone. */
export class HoldingsRows {
  readonly denoms = new Denoms();
  private readonly spans = new Map<string, HoldingsTables['delegation_spans'][]>();
  private readonly ratios = new Map<string, string>();
  private readonly unbondings = new Map<string, HoldingsTables['unbonding_intervals'][]>();
  private readonly days = new Map<string, HoldingsTables['validator_days']>();
  private readonly slashes = new Map<string, HoldingsTables['validator_slashes'][]>();
  /** Heights at which a day closes. */
  readonly closes = new Set<number>();
  count = 0;

  readonly emit: Emit = (table, row) => {
    this.count++;
    if (table === 'delegation_spans') push(this.spans, row as HoldingsTables['delegation_spans'], 'delegator');
    else if (table === 'reward_ratios') {
      const { validator, height, period, ratio } = row as HoldingsTables['reward_ratios'];
      this.ratios.set(`${validator} ${height} ${period}`, ratio);
    } else if (table === 'unbonding_intervals')
      push(this.unbondings, row as HoldingsTables['unbonding_intervals'], 'delegator');
    else if (table === 'validator_slashes') push(this.slashes, row as HoldingsTables['validator_slashes'], 'validator');
    else if (table === 'validator_days') {
      const day = row as HoldingsTables['validator_days'];
      this.closes.add(day.close_height);
      this.days.set(`${day.validator} ${day.close_height}`, day);
    }
  };

  /** @param height last block of a day */
  holdings(delegator: string, height: number): DayHoldings {
    const covers = (row: { from_height: number; to_height: number | null }) =>
      row.from_height <= height && height < (row.to_height ?? Number.POSITIVE_INFINITY);
    let staked = 0n;
    let unbonding = 0n;
    const rewards: bigint[] = [];
    const rewardsByValidator: Facts = new Map();
    for (const span of this.spans.get(delegator)?.filter(covers) ?? []) {
      const interval = {
        ...span,
        start_ratio: this.ratios.get(`${span.validator} ${span.from_height} ${span.start_period}`)!,
      };
      const day = this.days.get(`${interval.validator} ${height}`);
      if (!day) throw new Error(`no day of ${interval.validator} closes at ${height}`);
      const reward = unclaimedReward(interval, day, this.slashes.get(interval.validator) ?? [], this.denoms);
      staked += stakedTokens(interval, day);
      addAll(rewards, reward);
      rewardsByValidator.set(`reward ${delegator} ${interval.validator}`, formatDecCoins(reward, this.denoms));
    }
    for (const { balance } of this.unbondings.get(delegator)?.filter(covers) ?? []) unbonding += balance;
    return { staked, unbonding, rewards, rewardsByValidator };
  }
}

function push<Row, Key extends keyof Row>(rows: Map<Row[Key], Row[]>, row: Row, key: Key): void {
  const known = rows.get(row[key]);
  if (known) known.push(row);
  else rows.set(row[key], [row]);
}

/** Kinds of facts that a recording has completely; it has rewards and redelegations of some wallets only. */
const COMPLETE = /^(validator|delegation|unbonding|outstanding|commission|slash|share record) /;

/** Compares recorded facts with found facts. @returns a line per difference */
export function compareFacts(recorded: Facts, found: Facts): string[] {
  const differences: string[] = [];
  for (const [name, value] of recorded) {
    const other = found.get(name) ?? '';
    if (other !== value) differences.push(`${name}: recorded ${value}, found ${other || 'nothing'}`);
  }
  for (const [name, value] of found) {
    if (value !== '' && COMPLETE.test(name) && !recorded.has(name))
      differences.push(`${name}: found ${value}, not recorded`);
  }
  return differences;
}
