-- Creates native holdings by wallet. The table is empty if no holdings are proved. TypeScript code fills the temporary
-- table
-- `stakes`, because DuckDB's number types are too small for the products.
create or replace table native_holdings as
with held as (
  select address, moment, liquid, staked, unbonding from stakes
  union all
  select address, 'opening', amount, 0, 0 from opening_balances where denom = $native
  union all
  select address, 'opening', amount, 0, 0 from coin_movements where denom = $native and height <= $opening
  union all
  select address, 'closing', amount, 0, 0 from opening_balances where denom = $native
  union all
  select address, 'closing', amount, 0, 0 from coin_movements where denom = $native and height <= $until
  union all
  select delegator, 'opening', 0, 0, balance
  from folded_unbonding_intervals
  where from_height <= $opening and (to_height is null or to_height > $opening)
  union all
  select delegator, 'closing', 0, 0, balance from unbonding_intervals where to_height is null
)
select
  address,
  moment,
  sum(liquid)::decimal(38, 0) as liquid,
  sum(staked)::decimal(38, 0) as staked,
  sum(unbonding)::decimal(38, 0) as unbonding
from held
where $until >= $first
group by address, moment
having sum(liquid) <> 0 or sum(staked) <> 0 or sum(unbonding) <> 0;

drop table stakes
