-- Selects the delegations after a block. Ratios are converted to text here, because this is three times as fast as
-- reading the lists.
select * replace (
  array_to_string(list_transform(start_ratio, lambda coin: coin.ratio::varchar || coin.denom), ',') as start_ratio
)
from delegation_intervals
where from_height <= $height and (to_height is null or to_height > $height)
order by delegator
