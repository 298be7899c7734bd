-- What a wallet holds of the native coin, staked and unbonding coins included, changes by its rows, as far as holdings are proved. Exactly, unless it delegated to
-- a validator that was slashed: there an act is cut off to whole units, and what others leave over goes to those who stay.
with inside as (
  select unnest(['delegate', 'undelegate', 'unbonding_complete', 'redelegate', 'cancel_unbonding', 'gov_deposit_burned']) as category
),
moved as (
  select address, received_amount as amount from priced_events
  where received_denom = $native and height <= $holdings_until and category not in (from inside)
  union all
  select address, -sent_amount from priced_events
  where sent_denom = $native and height <= $holdings_until and category not in (from inside)
  union all
  select address, -fee_amount from priced_events where fee_denom = $native and height <= $holdings_until
  union all
  select address, if(moment = 'opening', 1, -1) * (liquid + staked + unbonding) from native_holdings
),
differences as (
  select address, sum(amount) as difference
  from moved
  where exists (from native_holdings) and address not in (from own_accounts)
  group by address
  having sum(amount) <> 0
),
uneven as (
  select validator, min(shares)::double as shares from validator_days group by validator having bool_or(tokens <> shares)
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
  where delegator in (select address from differences)
  group by delegator, validator
),
left_over as (
  select address, ceil(sum(part * times)) + 2 * count(*) as most from parts join touched using (validator) group by address
)
select address, difference::varchar as difference
from differences
left join left_over using (address)
left join acts using (address)
where abs(difference) > coalesce(most + coalesce(acts, 0), 0)
order by address
