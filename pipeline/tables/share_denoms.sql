with named as (
  select denom from denoms
  union
  select denom from opening_balances
)
select denom, split_part(denom, '/', 1) as validator
from named
where regexp_matches(denom, '^[a-z]+valoper1[a-z0-9]+/[0-9]+$')
order by denom
