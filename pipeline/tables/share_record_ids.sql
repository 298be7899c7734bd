select distinct split_part(denom, '/', 2) as record
from (
  select denom from opening_balances
  union all
  select denom from query_table($moved)
)
where starts_with(denom, $operator_prefix) and contains(denom, '/')
