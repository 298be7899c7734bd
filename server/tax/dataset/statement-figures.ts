import { formatCents, formatDecimal } from '../../../pipeline/base/values/amount.js';
import type { Rules } from '../../../pipeline/ledger/rules.js';
import type { AccruedCommission, PayoutSum } from '../../../pipeline/publish/wallet-index/payouts-format.js';
import { fieldsOf } from '../../../pipeline/reports/field.js';
import type { AccruedCoin, OtherCommission, StatementMonth, StatementTotal } from '../../../schemas/types.generated.js';

export function paidFigures(sum: PayoutSum, rules: Rules): StatementTotal {
  const { symbol, decimals } = rules.denomination(rules.nativeDenom);
  const amount = (units: bigint) => formatDecimal(units, decimals);
  return {
    symbol,
    commission_amount: amount(sum.commission),
    commission_usd: formatCents(sum.commissionUsd),
    delegator_rewards_amount: amount(sum.rewards),
    delegator_rewards_usd: formatCents(sum.rewardsUsd),
    reward_events: sum.rewardEvents,
    unique_delegators: sum.uniqueDelegators,
    price_missing_days: sum.priceMissingDays,
    price_missing_events: sum.priceMissingEvents,
    own_rewards_amount: amount(sum.ownRewards),
    own_rewards_usd: formatCents(sum.ownRewardsUsd),
    others_rewards_amount: amount(sum.rewards - sum.ownRewards),
    others_rewards_usd: formatCents(sum.rewardsUsd - sum.ownRewardsUsd),
    other_commission: sum.otherCommission.map((other): OtherCommission => {
      const { symbol, decimals } = rules.denomination(other.denom);
      return {
        denom: other.denom,
        symbol,
        amount: formatDecimal(other.amount, decimals),
        usd: formatCents(other.usd),
        price_missing_amount: formatDecimal(other.unpriced, decimals),
      };
    }),
  };
}

type Accrued = Pick<StatementMonth, 'commission_accrued_on' | 'commission_accrued_amount' | 'other_commission_accrued'>;

/** @param accrued commission not yet withdrawn at the end of a month; undefined if unknown */
export function accruedFigures(accrued: AccruedCommission | undefined, rules: Rules): Accrued {
  const coins = [...(accrued?.coins ?? [])].map(([denom, units]): AccruedCoin => {
    const { symbol, decimals } = rules.denomination(denom);
    return { denom, symbol, amount: formatDecimal(units, decimals) };
  });
  const native = coins.find(({ denom }) => denom === rules.nativeDenom);
  return {
    commission_accrued_on: accrued?.day ?? '',
    commission_accrued_amount: accrued ? (native?.amount ?? '0') : '',
    other_commission_accrued: coins.filter((coin) => coin !== native),
  };
}

/** Returns, for example, `12.5 USDC = 12.50 USD, 2 of it without a price`. */
function describe({ symbol, amount, usd, price_missing_amount: unpriced }: OtherCommission): string {
  if (unpriced === amount) return `${amount} ${symbol} without a price`;
  return `${amount} ${symbol} = ${usd} USD${unpriced === '0' ? '' : `, ${unpriced} of it without a price`}`;
}

const { text, decimal, number, boolean } = fieldsOf<StatementMonth>();

export const MONTH_FIELDS = [
  text('month'),
  text('symbol'),
  decimal('commission_amount'),
  decimal('commission_usd'),
  decimal('delegator_rewards_amount'),
  decimal('delegator_rewards_usd'),
  number('reward_events'),
  number('unique_delegators'),
  number('price_missing_days'),
  number('price_missing_events'),
  boolean('incomplete'),
  decimal('own_rewards_amount'),
  decimal('own_rewards_usd'),
  decimal('others_rewards_amount'),
  decimal('others_rewards_usd'),
  text('other_commission', (row) => row.other_commission.map(describe).join('; ')),
  text('commission_accrued_on'),
  decimal('commission_accrued_amount'),
  text('other_commission_accrued', (row) =>
    row.other_commission_accrued.map(({ amount, symbol }) => `${amount} ${symbol}`).join('; '),
  ),
];
