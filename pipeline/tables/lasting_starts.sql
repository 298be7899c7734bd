-- Selects the reward ratios at the start of delegations that last until the end of a day or until an edge. First finds these delegations
-- without the ratios, because a join with the ratios would need gigabytes.
with lasting as materialized (
  select distinct validator, from_height, start_period
  from delegation_intervals
  asof join (
    select close_height from all_days union select height from all_edges
  ) as closes on from_height < close_height
  where to_height is null or to_height > close_height
)
select
  validator, from_height, start_period,
  ratio_text(start_ratio) as start_ratio
from delegation_intervals
semi join lasting using (validator, from_height, start_period)
