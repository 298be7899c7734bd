-- Holdings of every wallet in each denom before the first block of the index, staked and unbonding coins among it. Without the stakes,
-- where the fold stopped before that block, nothing is known of it.
create or replace table opening_holdings as
select address, denom, sum(amount)::decimal(38, 0) as amount
from (
  from opening_balances
  union all
  select address, $native, staked + unbonding from native_holdings where moment = 'opening'
)
where address not in (from own_accounts) and exists (from native_holdings)
group by address, denom
having sum(amount) > 0
