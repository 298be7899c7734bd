-- Computes the latest balances from the published rows.
select address, denom, sum(amount)::decimal(38, 0)::varchar as amount
from (
  select address, denom, amount from coin_movements
  union all
  select address, denom, amount from opening_balances
)
group by address, denom
having sum(amount) <> 0
order by address, denom
