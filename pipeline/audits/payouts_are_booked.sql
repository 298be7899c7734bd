-- What validators paid wallets is what the journal books as their rewards and commission: amounts and cents, day by day.
with booked as (
  select validator, time::date as day, category, address, sum(quantity) as amount, sum(amount_usd) as usd
  from ledger_entries
  where category in ('staking_reward', 'validator_commission') and denom = $native and validator is not null
  group by all
),
paid as (
  select validator, day, category, address, amount, coalesce(usd, 0) as usd
  from validator_payouts
  where address not in (from own_accounts)
)
select validator, day::varchar as day, category, address, paid.amount::varchar as paid, booked.amount::varchar as booked,
  paid.usd::varchar as paid_usd, booked.usd::varchar as booked_usd
from paid
full join booked using (validator, day, category, address)
where paid.amount is distinct from booked.amount or paid.usd is distinct from booked.usd
order by validator, day, category, address
