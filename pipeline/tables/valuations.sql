-- Selects validators at the ends of days, with the ratios of all denoms as text.
select
  validator, close_height, tokens, shares,
  ratio_text(ratio) as ratio
from validator_days
where shares > 0
