-- Holdings of every wallet in each denom before the first block of the index, staked and unbonding coins among it. Without the stakes,
-- where the fold stopped before that block, nothing is known of it. Where holdings are known from a later block on, rows up to that block
-- are taken off again; slashes in between have none, so that what they took of these coins is not in the sum.
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
where address not in (from own_accounts) and exists (from native_holdings)
group by address, denom
having sum(amount) > 0
