create or replace view delegation_intervals as
select spans.*, ratios.ratio as start_ratio
from folded_delegation_spans as spans
join folded_reward_ratios as ratios
  on ratios.validator = spans.validator and ratios.height = spans.from_height and ratios.period = spans.start_period
where (to_height is null or to_height > (select first from index_span))
  and (select until >= first from index_span)
