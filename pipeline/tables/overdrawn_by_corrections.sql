-- Selects the first balance that corrections make negative, up to the last height with proved holdings.
with corrected as (
  select distinct address, denom from balance_corrections
),
changes as (
  select address, denom, (select first - 1 from index_span) as height, amount from opening_balances semi join corrected using (address, denom)
  union all
  select address, denom, height, amount from coin_movements semi join corrected using (address, denom) where height <= $until
),
running as (
  select address, denom, height, sum(sum(amount)) over (partition by address, denom order by height) as balance
  from changes
  group by address, denom, height
)
select address, denom, height::integer as height, balance::varchar as balance
from running
where balance < 0
order by height, address, denom
limit 1
