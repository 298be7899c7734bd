-- Delegations in the order of delegation_intervals, of their ratios the native coin's alone: of all denoms a million rows are gigabytes
-- to sort.
select * replace (list_filter(start_ratio, lambda coin: coin.denom = $native) as start_ratio)
from delegation_intervals
order by delegator, validator, from_height
