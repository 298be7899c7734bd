-- The opening balance is part of the first day's balance.
with closes as (
  select distinct day, close_height from validator_days
),
changes as (
  select address, (select min(day) from closes) as day, amount from opening_balances where denom = $native
  union all
  select address, day, amount
  from coin_movements
  asof join closes on height <= close_height
  where denom = $native
),
daily as (
  select address, day, sum(amount) as amount from changes group by address, day
)
select address, day, (sum(amount) over (partition by address order by day))::decimal(38, 0) as amount
from daily
order by address, day
