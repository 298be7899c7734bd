-- Selects the validators after the last block of a day, with the ratios of all denoms as text.
select validator, close_height, tokens, shares, ratio_text(ratio) as ratio
from folded_validator_days
where close_height = $height and shares > 0
