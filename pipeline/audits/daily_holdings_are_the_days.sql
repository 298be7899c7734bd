-- On every day with proved holdings, the last row of each account in daily_holdings equals its holdings at the end of
-- the day. Compares this with balances, delegations and unbonding entries for a sample of accounts. The sample differs
-- for each last height.
with sample as materialized (
  select address from native_holdings group by address
  order by bool_or(staked > 0) desc, hash(address || (select max(close_height) from validator_days))
  limit 40
),
-- Materialized, so that DuckDB selects the sample before it joins these tables with days.
stakes as materialized (
  select delegator as address, validator, shares, from_height, to_height
  from delegation_intervals
  where delegator in (from sample)
),
entries as materialized (
  select delegator as address, balance, from_height, to_height from unbonding_intervals where delegator in (from sample)
),
published as materialized (
  from daily_holdings where address in (from sample)
),
closes as (
  select distinct close_height from validator_days
),
moments as (
  select address, close_height from sample, closes
),
moved as (
  select address, 0 as close_height, amount from opening_balances semi join sample using (address) where denom = $native
  union all
  select address, close_height, sum(amount)
  from (select address, height, amount from coin_movements semi join sample using (address) where denom = $native)
  asof join closes on height <= close_height
  group by address, close_height
),
held as (
  select address, moments.close_height, amount as liquid, 0 as staked, 0 as unbonding
  from moments
  join moved using (address)
  where moved.close_height <= moments.close_height
  union all
  select address, close_height, 0, staked_coins(stakes.shares, tokens, validator_days.shares), 0
  from stakes
  join validator_days using (validator)
  where from_height <= close_height and (to_height is null or to_height > close_height)
  union all
  select address, close_height, 0, 0, balance
  from moments
  join entries using (address)
  where from_height <= close_height and (to_height is null or to_height > close_height)
),
expected as (
  select
    address, close_height,
    coalesce(sum(liquid), 0) as liquid, coalesce(sum(staked), 0) as staked, coalesce(sum(unbonding), 0) as unbonding
  from moments
  left join held using (address, close_height)
  group by address, close_height
),
stored as (
  select moments.address, moments.close_height, liquid, staked, unbonding
  from moments
  asof left join published as daily on daily.address = moments.address and daily.close_height <= moments.close_height
),
ends as (
  select address, max_by((liquid, staked, unbonding), close_height) as held from daily_holdings group by address
),
closing as (
  select address, (liquid, staked, unbonding) as held from native_holdings where moment = 'closing'
)
select address, close_height, 'differs from the holdings' as fault
from expected
join stored using (address, close_height)
where expected.liquid <> coalesce(stored.liquid, 0)
  or expected.staked <> coalesce(stored.staked, 0)
  or expected.unbonding <> coalesce(stored.unbonding, 0)
union all
select address, null, 'differs from the closing holdings'
from ends
full join closing using (address)
where coalesce(ends.held, (0, 0, 0)) <> coalesce(closing.held, (0, 0, 0))
  and (select max(close_height) from validator_days) = $holdings_until
union all
select address, close_height, 'is a duplicate or on another day'
from daily_holdings as daily
left join (select distinct day, close_height from validator_days) as days using (day, close_height)
group by address, close_height
having count(*) > 1 or bool_or(days.day is null)
order by address, close_height, fault
