-- Computes daily holdings. Staked coins are shares × the validator's rate. Two shortcuts are needed for a million
-- delegations. Shares are summed per day, so that the end of one interval and the start of the next cancel out. After a
-- change of the rate, exact amounts are computed only where they may change by a whole unit.
create or replace table daily_holdings as
with closes as (
  select day, close_height, row_number() over (order by close_height) as n
  from (select distinct day, close_height from validator_days)
),
share_changes as (
  select delegator, validator, n, sum(shares) as shares
  from (
    select delegator, validator, n, shares from delegation_intervals asof join closes on from_height <= close_height
    union all
    select delegator, validator, n, -shares from delegation_intervals asof join closes on to_height <= close_height
  )
  group by delegator, validator, n
  having sum(shares) <> 0
),
delegations as (
  select
    delegator, validator, n,
    (sum(shares) over delegation)::decimal(38, 18) as shares,
    coalesce(lead(n) over delegation, (select max(n) + 1 from closes)) as until
  from share_changes
  window delegation as (partition by delegator, validator order by n)
),
rates as (
  select validator, n, tokens, shares, tokens::double / shares::double as rate
  from validator_days
  join closes using (close_height)
  where shares > 0
),
-- For each change of a validator's rate between two days: the lower and the higher rate.
bounds as (
  select validator, v, n, least(rate, before) * (1 - 1e-14) as low, greatest(rate, before) * (1 + 1e-14) as high
  from (
    select
      *,
      dense_rank() over (order by validator) as v,
      lag(rate) over by_day as before,
      tokens = shares and lag(tokens = shares) over by_day as stays_one,
      tokens = lag(tokens) over by_day and shares = lag(shares) over by_day as stays
    from rates
    window by_day as (partition by validator order by n)
  )
  where not stays_one and not stays
),
unsure as (
  select delegator, validator, v, shares, shares::double as size, unnest(range(n + 1, until)) as n
  from delegations
  join (select distinct validator, v from bounds) using (validator)
  where until > n + 1 and shares > 0
),
points as (
  select delegator, validator, n, shares from delegations
  union all
  select delegator, unsure.validator, n, shares
  from unsure
  join bounds using (v, n)
  where floor(size * low - 1e-9) < floor(size * high + 1e-9)
),
valued as (
  select
    delegator, validator, n,
    case when points.shares = 0 then 0 else staked_coins(points.shares, tokens, rates.shares) end as staked
  from points
  left join rates using (validator, n)
),
changes as (
  select address, 1 as n, amount as liquid, 0 as staked, 0 as unbonding from opening_balances where denom = $native
  union all
  select address, n, amount, 0, 0 from coin_movements asof join closes on height <= close_height where denom = $native
  union all
  select delegator, n, 0, staked - coalesce(lag(staked) over delegation, 0), 0
  from valued
  window delegation as (partition by delegator, validator order by n)
  union all
  select delegator, n, 0, 0, balance from unbonding_intervals asof join closes on from_height <= close_height
  union all
  select delegator, n, 0, 0, -balance from unbonding_intervals asof join closes on to_height <= close_height
),
daily as (
  select address, n, sum(liquid) as liquid, sum(staked) as staked, sum(unbonding) as unbonding
  from changes
  group by address, n
  having sum(liquid) <> 0 or sum(staked) <> 0 or sum(unbonding) <> 0
)
select
  address,
  day,
  close_height,
  (sum(liquid) over account)::decimal(38, 0) as liquid,
  (sum(staked) over account)::decimal(38, 0) as staked,
  (sum(unbonding) over account)::decimal(38, 0) as unbonding
from daily
join closes using (n)
window account as (partition by address order by n)
