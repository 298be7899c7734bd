-- Computes a month's daily holdings. Staked coins are shares × the validator's rate. Two shortcuts are needed for a
-- million delegations. Shares are summed per day, so that the end of one interval and the start of the next cancel out.
-- After a change of the rate, exact amounts are computed only where they may change by a whole unit.
create or replace table month_holdings as
with ends as materialized (
  select day, close_height, row_number() over (order by close_height) as n
  from (select distinct day, close_height from validator_days where close_height between $first and $last)
),
-- `n` is 0 for the last close before the month, if there is one.
closes as materialized (
  from ends
  union all
  select null, max(close_height), 0 from validator_days where close_height < $first having max(close_height) is not null
),
start as (
  select coalesce(max(close_height), -1) as height from closes where n = 0
),
active as materialized (
  from delegation_intervals where to_height is null or to_height > (select height from start)
),
waiting as materialized (
  from unbonding_intervals where to_height is null or to_height > (select height from start)
),
share_changes as (
  select delegator, validator, n, sum(shares) as shares
  from (
    select delegator, validator, n, shares from active asof join closes on from_height <= close_height
    union all
    select delegator, validator, n, -shares from active asof join closes on to_height <= close_height
  )
  group by delegator, validator, n
  having sum(shares) <> 0
),
delegations as materialized (
  select
    delegator, validator, n,
    (sum(shares) over delegation)::decimal(38, 18) as shares,
    coalesce(lead(n) over delegation, (select max(n) + 1 from closes)) as until
  from share_changes
  window delegation as (partition by delegator, validator order by n)
),
rates as materialized (
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
points as materialized (
  select delegator, validator, n, shares from delegations
  union all
  select delegator, unsure.validator, n, shares
  from unsure
  join bounds using (v, n)
  where floor(size * low - 1e-9) < floor(size * high + 1e-9)
),
moved as materialized (
  select address, n, amount
  from coin_movements
  asof join closes on height <= close_height
  where denom = $native and height > (select height from start)
),
unbonding as materialized (
  select delegator, n, balance from waiting asof join closes on from_height <= close_height
  union all
  select delegator, n, -balance from waiting asof join closes on to_height <= close_height
),
-- Other accounts have no rows in the month.
touched as materialized (
  select delegator as address from points where n > 0
  union
  select address from moved
  union
  select delegator from unbonding where n > 0
  union
  select address from earlier_liquid where not exists (from closes where n = 0)
),
valued as (
  select
    delegator, validator, n,
    case when points.shares = 0 then 0 else staked_coins(points.shares, tokens, rates.shares) end as staked
  from points
  left join rates using (validator, n)
  where delegator in (from touched)
),
changes as (
  select address, coalesce((select min(n) from closes), 0) as n, amount as liquid, 0 as staked, 0 as unbonding
  from earlier_liquid
  where address in (from touched)
  union all
  select address, n, amount, 0, 0 from moved
  union all
  select delegator, n, 0, staked - coalesce(lag(staked) over delegation, 0), 0
  from valued
  window delegation as (partition by delegator, validator order by n)
  union all
  select delegator, n, 0, 0, balance from unbonding where delegator in (from touched)
),
daily as (
  select address, n, sum(liquid) as liquid, sum(staked) as staked, sum(unbonding) as unbonding
  from changes
  group by address, n
  having sum(liquid) <> 0 or sum(staked) <> 0 or sum(unbonding) <> 0
),
held as (
  select
    address,
    n,
    (sum(liquid) over account)::decimal(38, 0) as liquid,
    (sum(staked) over account)::decimal(38, 0) as staked,
    (sum(unbonding) over account)::decimal(38, 0) as unbonding
  from daily
  window account as (partition by address order by n)
)
select address, day, close_height, liquid, staked, unbonding from held join ends using (n);

-- Liquid coins at the month's last close.
create or replace table month_liquid as
select address, $native as denom, sum(amount)::decimal(38, 0) as amount
from (
  select address, amount from earlier_liquid
  union all
  select address, amount
  from coin_movements
  where denom = $native
    and height > coalesce((select max(close_height) from validator_days where close_height < $first), -1)
    and height <= (select max(close_height) from validator_days where close_height <= $last)
)
group by address
having sum(amount) <> 0
