create or replace table validators as
with names as (
  from starting_validator_names
  union all
  from earlier_validator_names
  union all
  from names
),
known as (
  select validator from names
  union
  from event_validators
  union
  select validator from folded_validator_days
),
named as (
  select validator, arg_max(moniker, (height, position)) as moniker from names group by validator
)
select
  validator,
  coalesce(moniker, '') as moniker,
  validator in (select validator from folded_validator_days where close_height = $last and shares > 0) as on_chain
from known
left join named using (validator)
