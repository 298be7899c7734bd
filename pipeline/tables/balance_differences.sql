-- Selects balances after a block that differ from an export of the chain. `differing` counts all of them, including
-- those beyond the limit.
with published as (
  select address, denom, sum(amount)::decimal(38, 0) as amount
  from (
    from opening_balances
    union all
    select address, denom, amount from coin_movements where height <= $height
  )
  where not list_contains($oversized, denom)
  group by address, denom
  having sum(amount) <> 0
)
select
  address,
  denom,
  coalesce(published.amount, 0)::varchar as published,
  coalesce(exported_balances.amount, 0)::varchar as exported,
  count(*) over () as differing
from published full join exported_balances using (address, denom)
where published.amount is distinct from exported_balances.amount
order by address, denom
limit $shown
