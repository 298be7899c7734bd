-- Selects validators at the ends of days and at edges, with the ratios of all denoms as text.
select
  validator, close_height, tokens, shares,
  ratio_text(ratio) as ratio
from (
  select validator, close_height, tokens, shares, ratio from validator_days
  union all by name
  select validator, height as close_height, tokens, shares, ratio from validator_edges
)
where shares > 0
