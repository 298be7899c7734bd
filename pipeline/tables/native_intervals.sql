-- Selects only the ratios of the native coin, because sorting the ratios of all denoms would need gigabytes.
select * replace (list_filter(start_ratio, lambda coin: coin.denom = $native) as start_ratio)
from delegation_intervals
order by delegator, validator, from_height
