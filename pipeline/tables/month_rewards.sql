-- Creates one month's rows of reward_months. TypeScript code fills the table `claimable` with the rewards of single
-- delegations, because the products are too large for DuckDB's number types.
create or replace table month_rewards as
with parts as (
  select address, denom, 0 as paid, amount as unclaimed, 0 as before from claimable
  union all
  select delegator, denom, amount, 0, 0 from folded_reward_payments where height > $earlier and height <= $height
  union all
  select address, denom, 0, 0, unclaimed from earlier_rewards
)
select
  address, denom, $month as month,
  (sum(paid) + sum(unclaimed) - sum(before))::decimal(38, 0) as earned,
  sum(paid)::decimal(38, 0) as paid,
  sum(unclaimed)::decimal(38, 0) as unclaimed
from parts
where address not in (from module_accounts)
group by address, denom
having sum(paid) <> 0 or sum(unclaimed) <> 0 or sum(before) <> 0
