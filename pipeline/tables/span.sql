-- Selects the range of the index. `day_before` is the UTC day of the stored block before the index; null if there is
-- none.
select
  (select strftime(time, '%Y-%m-%d') from raw_blocks where height = $first - 1) as day_before,
  count(*) as blocks,
  strftime(min(time), '%Y-%m-%dT%H:%M:%SZ') as first_time,
  strftime(max(time), '%Y-%m-%dT%H:%M:%SZ') as last_time
from blocks
