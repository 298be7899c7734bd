-- Computes the largest difference that rounding can cause between a wallet's stake and its rows. Each staking action
-- truncates a delegation to a slashed validator to whole units. The remainder stays with the validator's other
-- delegators. Wallets without a row here have no difference.
create or replace table rounding_of_shares as
with uneven as (
  select validator, min(nullif(shares, 0))::double as shares
  from validator_days
  group by validator
  having bool_or(tokens <> shares) or validator in (select validator from validator_slashes)
),
-- The detail of a redelegation is `From <source validator>`.
rows_of_acts as (
  select address, validator, if(category = 'redelegate', substr(detail, 6), null) as source
  from priced_events
  where height <= $holdings_until
    and (is_inside(category) or category in ('tokenize_shares', 'redeem_shares', 'slash'))
),
acts as (
  select
    address,
    count(*) as acts,
    bool_or(validator in (select validator from uneven) or source in (select validator from uneven)) as meets_uneven
  from rows_of_acts
  group by address
),
-- Delegations, including those that ended in their first block. These have no interval, but also leave a remainder.
touches as (
  select validator from delegation_intervals
  union all
  select validator from rows_of_acts
  union all
  select source from rows_of_acts
),
touched as (
  select validator, count(*) as times from touches where validator in (select validator from uneven) group by validator
),
parts as (
  select delegator as address, validator, coalesce(max(intervals.shares)::double / any_value(uneven.shares), 1) as part
  from delegation_intervals as intervals
  join uneven using (validator)
  group by delegator, validator
),
left_over as (
  select address, ceil(sum(part * times)) + 2 * count(*) as most from parts join touched using (validator) group by address
)
select address, coalesce(most, 0) + coalesce(acts, 0) as most
from left_over
full join acts using (address)
where most is not null or meets_uneven
