-- Selects the last whole day of each month with proved holdings, as the height of its last block. `content` is a hash of
-- everything on which the month's rewards depend.
with closes as materialized (
  select month, height, coalesce(lag(height) over (order by height), $opening) as earlier
  from (
    select strftime(day, '%Y-%m') as month, max(close_height) as height
    from validator_days
    where close_height > $opening and day < (select max(time)::date from blocks)
    group by month
  )
),
inputs as (
  -- Without the end of a delegation, which would change the months before it.
  select month, 'delegation' as kind, sum(hash(delegator, validator, from_height, shares, stake, start_period))::varchar as content
  from (from folded_delegation_spans where delegator not in (from module_accounts))
  join closes on from_height <= height and (to_height is null or to_height > height)
  group by month
  union all
  select month, 'validator', sum(hash(days))::varchar
  from folded_validator_days as days
  join closes on close_height = height
  group by month
  union all
  select month, 'slash', sum(hash(slashes))::varchar
  from validator_slashes as slashes
  join closes on slashes.height <= closes.height
  group by month
  union all
  select month, 'payment', sum(hash(payments))::varchar
  from folded_reward_payments as payments
  join closes on payments.height > earlier and payments.height <= closes.height
  group by month
)
select month, height, earlier, coalesce(string_agg(kind || ' ' || content, ', ' order by kind), '') as content
from closes
left join inputs using (month)
group by month, height, earlier
order by month
