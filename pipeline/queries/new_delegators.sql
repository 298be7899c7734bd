-- Accounts that delegated for the first time since the index began, by UTC month. Accounts with a delegation from before are not new.
-- month: Month of the first delegation, YYYY-MM.
-- new_delegators: Accounts.
-- still_delegating: Accounts among them that have a delegation after the last block.
select
  strftime(time at time zone 'UTC', '%Y-%m') as month,
  count(*) as new_delegators,
  count(*) filter (is_delegating) as still_delegating
from (
  select delegator, min(from_height) as height, bool_or(to_height is null) as is_delegating
  from delegation_intervals
  group by delegator
)
join blocks using (height)
group by month
