-- On every day, the payouts of each validator equal the rewards and commission in the journal, in amount and cents.
with booked as (
  select validator, time::date as day, category, address, denom, sum(quantity) as amount, sum(amount_usd) as usd
  from ledger_entries
  where validator is not null and (category = 'staking_reward' and denom = $native or category = 'validator_commission')
  group by all
),
paid as (
  select validator, day, category, address, denom, amount, coalesce(usd, 0) as usd
  from validator_payouts
  where address not in (from own_accounts)
)
select validator, day::varchar as day, category, address, denom, paid.amount::varchar as paid, booked.amount::varchar as booked,
  paid.usd::varchar as paid_usd, booked.usd::varchar as booked_usd
from paid
full join booked using (validator, day, category, address, denom)
where paid.amount is distinct from booked.amount or paid.usd is distinct from booked.usd
order by validator, day, category, address, denom
