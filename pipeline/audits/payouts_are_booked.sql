-- On every day, the payouts of each validator equal the rewards and commission in the rows, in amount and cents. Each
-- payment is rounded alone, unlike income in the journal.
with received as (
  select validator, time::date as day, category, address, received_denom as denom, received_amount as amount, received_price as price
  from priced_events
  where validator is not null and (category = 'staking_reward' and received_denom = $native or category = 'validator_commission')
),
booked as (
  select validator, day, category, address, denom, sum(amount) as amount,
    sum((2 * amount::hugeint * (price * 1000000)::hugeint + cent) // (2 * cent))::decimal(36, 0) * 0.01::decimal(2, 2) as usd
  from (select received.*, ('1' || repeat('0', decimals + 4))::hugeint as cent from received left join assets using (denom))
  group by all
),
paid as (
  select validator, day, category, address, denom, amount, usd from validator_payouts where address not in (from module_accounts)
)
select validator, day::varchar as day, category, address, denom, paid.amount::varchar as paid, booked.amount::varchar as booked,
  paid.usd::varchar as paid_usd, booked.usd::varchar as booked_usd
from paid
full join booked using (validator, day, category, address, denom)
where paid.amount is distinct from booked.amount or paid.usd is distinct from booked.usd
order by validator, day, category, address, denom
