-- Selects validators at the ends of days, with the ratios of all denoms as text.
select
  validator, close_height, tokens, shares,
  array_to_string(list_transform(ratio, lambda coin: coin.ratio::varchar || coin.denom), ',') as ratio
from validator_days
where shares > 0
