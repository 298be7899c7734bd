-- Selects the starts in `lasting` with their reward ratios. `to_height` is the last block at which the delegation's
-- rewards are kept.
select
  validator, from_height, start_period, lasting.stake, lasting.close_height as to_height,
  ratio_text(start_ratio) as start_ratio
from delegation_intervals
join lasting using (validator, from_height, start_period)
