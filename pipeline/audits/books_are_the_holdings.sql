-- At the end of every month, a wallet's lots plus its remaining opening coins equal its holdings, if these are known.
-- Allows for rounding of shares, and ignores corrections.
with ends as materialized (
  select month, height, row_number() over (order by height) - 1 as earlier_ends
  from (
    select strftime(day, '%Y-%m') as month, max(close_height) as height
    from validator_days
    where close_height > $opening and close_height > $since
    group by month
  )
),
-- The lots and opening coins that a wallet had after $since. They are computed back: closing positions minus all later
-- changes by journal entries.
flows as (
  select address, denom, -1 as height, quantity + opening_quantity as amount from closing_positions
  union all
  select address, denom, unnest([-1, height]), unnest([-amount, amount]) from booked_coins where height > $since
  union all
  select address, denom, -1, -amount from opening_balances
  union all
  select address, denom, if(height <= $since, -1, height), -amount from coin_movements where tx_hash not like 'correction:%'
),
-- Counts the month ends before each block. An asof join would sort all flows, which is slow.
places as (
  select blocks.height, count(ends.height) as earlier_ends
  from blocks
  join ends on ends.height < blocks.height
  group by blocks.height
),
numbered as (
  select
    address, denom,
    coalesce(places.earlier_ends, 0) as earlier_ends,
    sum(amount) as amount
  from flows
  left join places using (height)
  where address not in (from module_accounts) and not list_contains($oversized, denom)
  group by all
),
monthly as (
  select address, denom, month, amount from numbered join ends using (earlier_ends)
),
bonded as (
  select delegator as address, month, floor(intervals.shares::double * (days.tokens::double / days.shares::double)) as amount
  from delegation_intervals as intervals
  join ends on from_height <= height and (to_height is null or to_height > height)
  join validator_days as days on days.validator = intervals.validator and days.close_height = height
  union all
  select delegator, month, balance::double
  from unbonding_intervals
  join ends on from_height <= height and (to_height is null or to_height > height)
),
staked as (
  select address, month, -sum(amount)::decimal(38, 0) as amount from bonded where address not in (from module_accounts) group by address, month
),
native as (
  select address, month, amount from monthly where denom = $native
),
everywhere as (
  select address, month, 0 as amount from (select address from native union select address from staked) cross join ends
),
totals as (
  select address, month, sum(amount) over (partition by address order by month) as amount
  from (select address, month, sum(amount) as amount from (from native union all from everywhere) group by address, month)
),
differences as (
  select address, $native as denom, month, totals.amount + coalesce(staked.amount, 0) as difference
  from totals
  left join staked using (address, month)
  left join rounding_of_shares using (address)
  where abs(totals.amount + coalesce(staked.amount, 0)) > coalesce(most, 0)
  union all
  select address, denom, month, amount from monthly where denom <> $native and amount <> 0
)
select address, denom, month, difference::varchar as difference
from differences
where exists (from native_holdings)
order by address, denom, month
