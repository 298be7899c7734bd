-- By how much what wallets hold of the staked coin may differ from their rows, at the most: a delegation to a validator that was slashed
-- is cut off to whole units at each act, and what others leave over goes to those who stay. No row for all others: there it is exact.
create or replace table rounding_of_shares as
with inside as (
  select unnest(['delegate', 'undelegate', 'unbonding_complete', 'redelegate', 'cancel_unbonding', 'gov_deposit_burned']) as category
),
uneven as (
  select validator, min(shares)::double as shares
  from validator_days
  where shares > 0
  group by validator
  having bool_or(tokens <> shares)
),
acts as (
  select address, count(*) as acts
  from priced_events
  where height <= $holdings_until
    and (category in (from inside) or category in ('tokenize_shares', 'redeem_shares', 'slash'))
  group by address
),
touched as (
  select validator, count(*) as times from delegation_intervals where validator in (select validator from uneven) group by validator
),
parts as (
  select delegator as address, validator, max(intervals.shares)::double / any_value(uneven.shares) as part
  from delegation_intervals as intervals
  join uneven using (validator)
  group by delegator, validator
),
left_over as (
  select address, ceil(sum(part * times)) + 2 * count(*) as most from parts join touched using (validator) group by address
)
select address, most + coalesce(acts, 0) as most
from left_over
left join acts using (address)
