-- Adds up base units. Returns null if one of them is null, or if the sum is 4 × 10^37 or more. Sums in units of 10^19
-- cannot overflow, and differences of three results fit the columns.
create or replace macro known_sum(units) as case
  when count(units) = count(*) and sum(units::hugeint // 10000000000000000000) < 4000000000000000000
  then sum(units::hugeint // 10000000000000000000) * 10000000000000000000 + sum(units::hugeint % 10000000000000000000)
end;
-- Creates one month's rows of reward_months. TypeScript code fills the table `claimable` with the rewards of single
-- delegations, because the products are too large for DuckDB's number types.
create or replace table month_rewards as
with parts as (
  select address, denom, 0 as paid, amount as unclaimed, 0 as before from claimable
  union all
  select delegator, denom, amount, 0, 0 from folded_reward_payments where height > $earlier and height <= $height
  union all
  select address, denom, 0, 0, unclaimed from earlier_rewards
),
sums as (
  select
    address, denom,
    known_sum(if(list_contains($oversized, denom), null, paid)) as paid,
    known_sum(if(list_contains($oversized, denom), null, unclaimed)) as unclaimed,
    known_sum(if(list_contains($oversized, denom), null, before)) as before
  from parts
  where address not in (from module_accounts)
  group by address, denom
)
select
  address, denom, $month as month,
  (paid + unclaimed - before)::decimal(38, 0) as earned,
  paid::decimal(38, 0) as paid,
  unclaimed::decimal(38, 0) as unclaimed
from sums
where paid is distinct from 0 or unclaimed is distinct from 0 or before is distinct from 0
