-- Selects the delegations after a block, with the ratios at their start as text. The rows are not sorted, because
-- sorting the ratios of all denoms would need gigabytes.
select
  spans.*,
  ratio_text(ratios.ratio) as start_ratio
from folded_delegation_spans as spans
join folded_reward_ratios as ratios
  on ratios.validator = spans.validator and ratios.height = spans.from_height and ratios.period = spans.start_period
where spans.from_height <= $height and (spans.to_height is null or spans.to_height > $height)
