-- At the end of every day, a validator's shares equal the sum of the shares of its delegations. A difference is allowed
-- only if the starting state has the same difference.
with known as (
  select split_part(text, ' ', 1) as validator, split_part(text, ' ', 2)::decimal(38, 0) as difference
  from (select unnest($share_differences::varchar[]) as text)
),
closes as (
  select distinct close_height from validator_days
),
changes as (
  select validator, close_height, shares from delegation_intervals asof join closes on from_height <= close_height
  union all
  select validator, close_height, -shares from delegation_intervals asof join closes on to_height <= close_height
  union all
  select validator, close_height, 0 from validator_days
),
daily as (
  select validator, close_height, sum(shares) as shares from changes group by validator, close_height
),
sums as (
  select validator, close_height, sum(shares) over (partition by validator order by close_height) as delegated from daily
)
select validator, close_height, coalesce(shares, 0)::varchar as shares, coalesce(delegated, 0)::varchar as delegated
from validator_days
full join sums using (validator, close_height)
left join known using (validator)
where coalesce(shares, 0) <> coalesce(delegated, 0) + if(shares is null, 0, coalesce(difference, 0))
order by close_height, validator
