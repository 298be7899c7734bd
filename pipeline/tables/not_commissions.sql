-- Receipts that look like the last commission of a removed validator, although the receiver never was an operator.
-- Operators may let commission be paid to any address. The table is empty without a starting state, because the list of
-- validators is then incomplete.
create or replace table not_commissions as
with operators as (
  select validator from folded_validator_days
  union
  select validator from starting_validator_names
  union
  select validator from earlier_validator_names
  union
  select validator from names
)
select id, height
from removed_rewards
where exists (from folded_validator_days)
  and validator not in (from operators)
