-- For every wallet, coin and month, earned = paid + unclaimed − unclaimed of the month before. The paid amounts equal
-- the rows, and the unclaimed amounts of the last month equal the delegations' growth of the validators' ratios.
-- Delegations that were slashed since they began are left out of the last comparison, and rounded rates of shares may
-- change each delegation by one unit. Amounts that are too large are null: of oversized denoms, and of validators whose
-- ratio is null.
with ends as materialized (
  select month, height, coalesce(lag(height) over (order by height), $opening) as earlier
  from (
    select strftime(day, '%Y-%m') as month, max(close_height) as height
    from validator_days
    where close_height > $opening and day < (select max(time)::date from blocks)
    group by month
  )
),
months as (
  select month, lag(month) over (order by month) as earlier_month from ends
),
balanced as (
  select
    address, denom, month,
    'earned' as figure,
    if(count(*) = count(earned), sum(earned), null) as stored,
    if(count(*) = count(paid + unclaimed - before), sum(paid) + sum(unclaimed) - sum(before), null) as expected
  from (
    select address, denom, month, earned, paid, unclaimed, 0 as before from reward_months
    union all
    select address, denom, months.month, 0, 0, 0, unclaimed
    from reward_months
    join months on earlier_month = reward_months.month
  )
  where month > (select min(month) from ends)
  group by all
),
booked as (
  select address, received_denom as denom, month, sum(received_amount) as amount
  from priced_events
  join ends on priced_events.height > earlier and priced_events.height <= ends.height
  where category = 'staking_reward'
  group by all
),
paid as (
  select address, denom, month, 'paid' as figure, sum(stored) as stored, sum(expected) as expected
  from (
    select address, denom, month, paid as stored, 0 as expected from reward_months
    union all
    select address, denom, month, 0, amount from booked
  )
  group by all
  having count(*) = count(stored)
),
closing as materialized (
  from ends order by height desc limit 1
),
valued as materialized (
  select validator, close_height, tokens <> shares as is_uneven, unnest(ratio, recursive := true)
  from validator_days
  join closing on close_height = height
),
stakes as materialized (
  select delegator, delegation.validator, stake, start_ratio, slashes.height is not null as is_slashed
  from delegation_intervals as delegation
  join closing on from_height < closing.height and (to_height is null or to_height > closing.height)
  left join (
    select validator, max(height) as height from validator_slashes where height <= (select height from closing) group by validator
  ) as slashes on slashes.validator = delegation.validator and slashes.height >= from_height
  where delegator not in (from module_accounts)
),
starts as (
  select delegator, validator, unnest(start_ratio, recursive := true) from stakes
),
grown as (
  select
    stakes.delegator, stakes.validator, valued.denom, is_uneven, is_slashed,
    units(valued.ratio - coalesce(starts.ratio, 0)) as growth,
    growth // 1000000000000000000 as growth_high,
    growth % 1000000000000000000 as growth_low,
    floor(stake)::hugeint as whole,
    units(stake - floor(stake)) as fraction
  from stakes
  join valued using (validator)
  left join starts using (delegator, validator, denom)
),
claimable as (
  select
    delegator as address, denom,
    -- Growth is multiplied in two parts, because the product of a denom with many decimal places exceeds 38 digits.
    if(count(*) = count(growth), sum(
      growth_high * whole
      + (growth_low * whole + growth_high * fraction + growth_low * fraction // 1000000000000000000) // 1000000000000000000
    ), null) as amount,
    count(*) filter (is_uneven) as uneven,
    bool_or(is_slashed) as is_slashed
  from grown
  group by all
),
unclaimed as (
  select
    address, denom, month, 'unclaimed' as figure, if(month is null, 0, unclaimed) as stored,
    case when uneven is null then 0 when amount < 40000000000000000000000000000000000000 then amount end as expected,
    coalesce(uneven, 0) as rounding
  from (select reward_months.* from reward_months join closing using (month)) as last
  full join claimable using (address, denom)
  where not coalesce(is_slashed, false) and not list_contains($oversized, denom)
),
differences as (
  select address, denom, month, figure, stored, expected, 0 as rounding from balanced
  union all
  select address, denom, month, figure, stored, expected, 0 from paid
  union all
  from unclaimed
  union all
  select address, denom, month, 'month', 1, 0, 0 from reward_months where month not in (select month from ends)
  union all
  select address, denom, month, 'rows', count(*), 1, 0 from reward_months group by address, denom, month
)
select address, denom, month, figure, stored::varchar as stored, expected::varchar as expected
from differences
where (stored is null) <> (expected is null) or abs(stored - expected) > rounding
order by address, denom, month, figure
