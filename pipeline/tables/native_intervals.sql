-- Delegations in the order of delegation_intervals, of their ratios the native coin's alone, and those that end like it: of all denoms a
-- million rows are gigabytes of text to sort.
select * replace (
  array_to_string(list_filter(string_split(start_ratio, ','), lambda coin: ends_with(coin, $native)), ',') as start_ratio
)
from delegation_intervals
order by delegator, validator, from_height
