-- All balances together change by what is minted and burned, in every block and denom, corrections aside.
with moved as (
  select denom, height, sum(amount) as amount from coin_movements where tx_hash not like 'correction:%' group by denom, height
)
select
  denom, height, coalesce(amount, 0)::varchar as moved, coalesce(minted, 0)::varchar as minted,
  coalesce(burned, 0)::varchar as burned
from moved
full join supply_changes using (denom, height)
where coalesce(amount, 0) <> coalesce(minted, 0) - coalesce(burned, 0)
order by height, denom
