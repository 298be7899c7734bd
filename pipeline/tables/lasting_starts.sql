-- Creates `lasting`: the starts of delegations that last until the end of a day or until an edge, with the largest stake
-- of a start and the last such block. Has no ratios, because a join with the ratios would need gigabytes.
create or replace temp table lasting as
with closes as (
  select close_height from all_days union select height from all_edges
)
select validator, from_height, start_period, max(stake) as stake, max(close_height) as close_height
from delegation_intervals
asof join closes on coalesce(to_height, 9223372036854775807) > close_height
where close_height > from_height
group by validator, from_height, start_period
