-- Every height of the index occurs once, block times never decrease, and every row has the time of its block.
select height, 'is missing or a duplicate' as fault
from (select height, height - lag(height) over (order by height) as step from blocks)
where step <> 1
union all
select height, 'is earlier than the block before'
from (select height, time < lag(time) over (order by height) as is_back from blocks)
where is_back
union all
select height, 'has rows with another time'
from (select distinct height, time from priced_events)
anti join blocks using (height, time)
order by height
