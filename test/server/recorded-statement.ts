/** The statement of a validator that recorded payouts make, worked out without the program's tables. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '../../pipeline/base/project.js';
import { formatDecimal } from '../../pipeline/base/values/amount.js';
import { loadReference } from '../../pipeline/reference.js';
import type { AccruedCoin, StatementMonth, StatementTotal } from '../../schemas/types.generated.js';
import type { RecordedPayout } from './recorded-payouts.js';

/** Reads a price: '2.0951' → micro-USD. */
export const micro = (text: string) => {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(6, '0')}`);
};
export const atom = (amount: bigint) =>
  `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`.replace(/\.?0+$/, '');
const dollars = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
const total = (list: readonly bigint[]) => list.reduce((sum, amount) => sum + amount, 0n);

const { rules } = loadReference();
/** Prices as served: `<denom> <day>` → USD as text; none for a day without one. */
export type Prices = ReadonlyMap<string, string>;

/** Worth of so many base units in cents, half-up; of a day without a price 0. */
const centsOf = (prices: Prices, denom: string, amount: bigint, day: string) => {
  const cent = 10n ** BigInt(rules.denomination(denom).decimals + 4);
  return (2n * amount * micro(prices.get(`${denom} ${day}`) ?? '0') + cent) / (2n * cent);
};
const displayed = (denom: string, amount: bigint) => formatDecimal(amount, rules.denomination(denom).decimals);

/** The commission in other denoms of a statement that these payouts make. */
function otherCommission(prices: Prices, commission: readonly RecordedPayout[]): StatementTotal['other_commission'] {
  const coins = commission.flatMap(({ day, others }) => others.map(([denom, amount]) => ({ day, denom, amount })));
  return [...new Set(coins.map(({ denom }) => denom))].sort().map((denom) => {
    const own = coins.filter((coin) => coin.denom === denom);
    const unpriced = own.filter(({ day }) => !prices.has(`${denom} ${day}`));
    return {
      denom,
      symbol: rules.denomination(denom).symbol,
      amount: displayed(denom, total(own.map(({ amount }) => amount))),
      usd: dollars(total(own.map(({ amount, day }) => centsOf(prices, denom, amount, day)))),
      price_missing_amount: displayed(denom, total(unpriced.map(({ amount }) => amount))),
    };
  });
}

/** The members of a statement that these payouts make. @param operator account of the validator's operator */
export function figures(prices: Prices, all: readonly RecordedPayout[], operator: string): StatementTotal {
  const payouts = all.filter(({ amount }) => amount > 0n);
  const worth = ({ amount, day }: RecordedPayout) => centsOf(prices, 'uatom', amount, day);
  const rewards = payouts.filter(({ delegator }) => delegator !== undefined);
  const commission = payouts.filter(({ delegator }) => delegator === undefined);
  const [own, others] = [true, false].map((isOwn) =>
    rewards.filter(({ delegator }) => (delegator === operator) === isOwn),
  );
  const unpriced = (list: readonly RecordedPayout[]) => list.filter(({ day }) => !prices.has(`uatom ${day}`));
  return {
    symbol: 'ATOM',
    commission_amount: atom(total(commission.map(({ amount }) => amount))),
    commission_usd: dollars(total(commission.map(worth))),
    delegator_rewards_amount: atom(total(rewards.map(({ amount }) => amount))),
    delegator_rewards_usd: dollars(total(rewards.map(worth))),
    reward_events: rewards.length,
    unique_delegators: new Set(rewards.map(({ delegator }) => delegator)).size,
    price_missing_days: new Set(unpriced(payouts).map(({ day }) => day)).size,
    price_missing_events: unpriced(rewards).length,
    own_rewards_amount: atom(total(own!.map(({ amount }) => amount))),
    own_rewards_usd: dollars(total(own!.map(worth))),
    others_rewards_amount: atom(total(others!.map(({ amount }) => amount))),
    others_rewards_usd: dollars(total(others!.map(worth))),
    other_commission: otherCommission(
      prices,
      all.filter(({ delegator }) => delegator === undefined),
    ),
  };
}

/** A month without what was accrued at its end, which no payout tells. */
export function withoutAccrued(month: StatementMonth) {
  const { commission_accrued_on, commission_accrued_amount, other_commission_accrued, ...paid } = month;
  return paid;
}

/** A node's answer about the commission of a validator; of one that is gone an error. */
interface CommissionAnswer {
  readonly request: { readonly path: string };
  readonly body: { readonly commission?: { readonly commission: { denom: string; amount: string }[] } };
}

/** The commission that each operator could have withdrawn, by a node's recorded answers. @param file path in the project */
export function recordedCommission(file: string): Map<string, { native: string; others: AccruedCoin[] }> {
  const text = gunzipSync(readFileSync(join(projectRoot(), file))).toString();
  const { answers }: { answers: CommissionAnswer[] } = JSON.parse(text);
  const found = answers.flatMap(({ request, body }) => {
    if (!request.path.endsWith('/commission') || !body.commission) return [];
    const coins = body.commission.commission.map(({ denom, amount }) => ({
      ...{ denom, symbol: rules.denomination(denom).symbol },
      amount: displayed(denom, BigInt(amount.split('.')[0]!)),
    }));
    const there = coins.filter(({ amount }) => amount !== '0');
    const native = there.find(({ denom }) => denom === 'uatom')?.amount ?? '0';
    const others = there.filter(({ denom }) => denom !== 'uatom');
    return [[request.path.split('/').at(-2)!, { native, others }] as const];
  });
  return new Map(found);
}
