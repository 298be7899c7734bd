-- Computes losses by slashes up to the block after which holdings are known. The exact stake at a slash is unknown, so
-- one row per wallet and validator contains all losses. Starts from the delegation in the starting state and undoes the
-- wallet's later rows. Example: if 99 are left after a slash of 0.01, 1 was lost. Losses are rounded up, so they may be
-- a few units too large. Omits losses of unbonding and redelegated coins. If more coins left a wallet than it can have
-- held, adds the difference, if the slashes of its validators were large enough. Slashes of removed validators are
-- unknown and may have any size.
create or replace table earlier_slashes as
with earlier as (
  select address, height, category, validator, sent_denom, sent_amount, received_denom, received_amount, substr(detail, 6) as source
  from classified_events
  where height <= $opening and validator is not null and address not in (from module_accounts)
),
blocks_of_slashes as (
  select validator, height, 1 - product(1 - fraction::double) as part
  from validator_slashes
  where height between $first and $opening
  group by validator, height
),
slashes as (
  select this.validator, this.height, any_value(this.part) as part, coalesce(product(1 - later.part), 1) as left_later
  from blocks_of_slashes as this
  left join blocks_of_slashes as later on later.validator = this.validator and later.height > this.height
  group by this.validator, this.height
  having left_later > 0 and any_value(this.part) < 1
),
delegated as (
  select delegator as address, spans.validator, spans.shares::double * days.tokens::double / days.shares::double as amount
  from folded_delegation_spans as spans
  join folded_validator_days as days on days.validator = spans.validator and days.close_height = $opening
  where $opening >= $first and from_height <= $opening and (to_height is null or to_height > $opening)
),
-- Delegations and undelegations with reversed sign, which undoes them.
undone as (
  select address, validator, height, -sum(amount)::double as amount
  from (
    select address, validator, height, sent_amount as amount from earlier where category in ('delegate', 'redelegate', 'cancel_unbonding')
    union all
    select address, validator, height, received_amount from earlier where category = 'redeem_shares' and received_denom = $native
    union all
    select address, validator, height, -sent_amount from earlier
    where category = 'undelegate' or category = 'tokenize_shares' and sent_denom = $native
    union all
    select address, source, height, -sent_amount from earlier where category = 'redelegate'
  )
  group by address, validator, height
),
-- Reduces each change by the slashes after it. The changes can then be added to the value in the starting state.
steps as (
  select address, validator, $opening as height, amount from delegated
  union all
  select address, undone.validator, undone.height, any_value(amount) * coalesce(product(1 - part), 1)
  from undone
  left join slashes on slashes.validator = undone.validator and slashes.height > undone.height
  group by address, undone.validator, undone.height
),
lost as (
  select
    address, slashes.validator,
    greatest(sum(amount::decimal(38, 6)), 0)::double / any_value(left_later) * any_value(part) / (1 - any_value(part)) as amount
  from slashes
  join steps on steps.validator = slashes.validator and steps.height >= slashes.height
  where address not in (from module_accounts)
  group by address, slashes.validator, slashes.height
),
changes as (
  select address, height, sum(amount) as amount, sum(greatest(-amount, 0)) as gone
  from native_changes('classified_events', $native)
  where height <= $opening and address not in (from module_accounts)
  group by address, height
),
lacking as (
  select address, -min(before) as amount, sum(gone) + any_value(held) as most
  from (
    select
      address, gone, coalesce(held, 0) as held,
      coalesce(held, 0) - sum(changes.amount) over (partition by address order by height desc) as before
    from changes
    left join (
      select address, liquid + staked + unbonding as held from native_holdings where moment = 'opening'
    ) using (address)
  )
  group by address
  having min(before) < 0
),
touched as (
  select address, validator from delegated
  union
  select delegator, validator
  from folded_unbonding_intervals
  where $opening >= $first and from_height <= $opening and (to_height is null or to_height > $opening)
  union
  select address, validator from earlier
  union
  select address, source from earlier where category = 'redelegate'
),
parts as (
  select validator, sum(part) as part from blocks_of_slashes group by validator
  union all
  select validator, 1
  from (select distinct validator from touched)
  where validator not in (select validator from folded_validator_days where close_height = $opening)
),
known as (
  select address, validator, sum(ceil(amount - 0.001))::decimal(38, 0) as amount from lost group by address, validator
),
least as (
  select address, any_value(amount) as amount, if(count(*) = 1, any_value(validator), null) as validator
  from lacking
  join touched using (address)
  join parts using (validator)
  group by address
  having any_value(amount)::double * (1 - least(sum(part), 1)) <= any_value(most)::double * least(sum(part), 1)
)
select * from known where amount > 0
union all
select address, any_value(least.validator), (any_value(least.amount) - coalesce(sum(known.amount), 0))::decimal(38, 0)
from least
left join known using (address)
group by address
having any_value(least.amount) > coalesce(sum(known.amount), 0)
