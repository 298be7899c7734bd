-- Every row belongs to a block and has the block's time.
select distinct height, time::varchar as time
from priced_events
anti join blocks using (height, time)
order by height
