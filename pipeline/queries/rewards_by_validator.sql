-- Staking rewards and commission in the native coin that each validator paid, by UTC month.
-- month: Month of the payouts, YYYY-MM.
-- commission: Base units paid to the operator.
-- commission_usd: Sum of the payouts' values; null if no day has a price.
-- rewards: Base units paid to delegators, including the operator's own delegation.
-- rewards_usd: Sum of the payouts' values; null if no day has a price.
-- reward_events: Payouts of rewards above zero.
-- delegators: Delegators with a payout.
-- days_without_price: Days whose payouts are in no value.
select
  validator,
  moniker,
  strftime(day, '%Y-%m') as month,
  coalesce(sum(amount) filter (category = 'validator_commission'), 0)::decimal(38, 0) as commission,
  sum(usd) filter (category = 'validator_commission') as commission_usd,
  coalesce(sum(amount) filter (category = 'staking_reward'), 0)::decimal(38, 0) as rewards,
  sum(usd) filter (category = 'staking_reward') as rewards_usd,
  coalesce(sum(payouts) filter (category = 'staking_reward'), 0)::bigint as reward_events,
  count(distinct address) filter (category = 'staking_reward') as delegators,
  count(distinct day) filter (usd is null) as days_without_price
from validator_payouts
join validators using (validator)
where denom = 'uatom'
group by all
