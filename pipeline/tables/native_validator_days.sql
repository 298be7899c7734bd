select
  validator, day, close_height, tokens, shares, list_filter(ratio, lambda coin: coin.denom = $native) as ratio
from validator_days
where shares > 0
order by validator, day
