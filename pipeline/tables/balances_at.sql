select address, denom, sum(amount)::decimal(38, 0) as amount
from (
  from opening_balances
  union all
  select address, denom, amount from coin_movements where height <= $height
)
where list_contains($addresses, address) and not list_contains($oversized, denom)
group by address, denom
having sum(amount) <> 0
order by address, denom
