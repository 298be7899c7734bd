-- Receipts at a block's end that look like the receiver's own commission, left over at a removed validator, though the receiver has never
-- run one: an operator may have its rewards paid to whomever. A starting state knows of every validator; without one nothing tells.
create or replace table not_commissions as
with operators as (
  select validator from folded_validator_days
  union
  select validator from starting_validator_names
  union
  select validator from earlier_validator_names
  union
  select validator from validator_names
)
select id
from classified_events
where reward_trigger = 'validator_removed'
  and exists (from folded_validator_days)
  and validator not in (from operators)
