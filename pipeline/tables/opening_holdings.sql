-- Holdings before the index, including staked and unbonding coins. The table is empty if stakes are not proved. If
-- holdings are known only after a later block, the rows up to this block are undone. In this case, coins lost by
-- slashes without a row are missing.
create or replace table opening_holdings as
select address, denom, sum(amount)::decimal(38, 0) as amount
from (
  from opening_balances
  union all
  select address, $native, staked + unbonding from native_holdings where moment = 'opening'
  union all
  select address, denom, amount from coin_movements where denom = $native and height <= $opening
  union all
  select address, $native, -amount
  from native_changes($rows, $native)
  where height <= $opening + 1 and (height <= $opening or is_earlier_slash(id))
)
where address not in (from module_accounts) and exists (from native_holdings)
group by address, denom
having sum(amount) > 0
