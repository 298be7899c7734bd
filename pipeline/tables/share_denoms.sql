with denoms as (
  select denom from coin_movements
  union
  select denom from opening_balances
)
select denom, split_part(denom, '/', 1) as validator
from denoms
where regexp_matches(denom, '^[a-z]+valoper1[a-z0-9]+/[0-9]+$')
order by denom
