-- Computes the value of payouts in the same way as the journal: amount × price, rounded half up to cents.
create or replace table validator_payouts as
with payouts as (
  select validator, time::date as day, category, address, height, received_denom as denom, received_amount as amount
  from chain_events
  where validator is not null
    and (category = 'staking_reward' and received_denom = $native or category = 'validator_commission' and received_amount is not null)
  union all
  select validator, time::date, 'staking_reward', delegator, height, denom, amount from share_rewards where denom = $native
),
priced as (
  select payouts.*, (usd * 1000000)::hugeint as price, ('1' || repeat('0', decimals + 4))::hugeint as cent
  from payouts
  join assets using (denom)
  left join prices on prices.denom = payouts.denom and prices.day = payouts.day
)
select
  validator,
  day,
  category,
  address,
  denom,
  max(height) as last_height,
  sum(amount)::decimal(38, 0) as amount,
  (sum((2 * amount::hugeint * price + cent) // (2 * cent))::decimal(36, 0) * 0.01::decimal(2, 2))::decimal(38, 2) as usd,
  count(*)::integer as payouts
from priced
group by validator, day, category, address, denom
