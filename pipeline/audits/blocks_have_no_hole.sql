-- Every height of the index has exactly one block, and block times never decrease.
select height, 'is missing or a duplicate' as fault
from (select height, height - lag(height) over (order by height) as step from blocks)
where step <> 1
union all
select height, 'is earlier than the block before'
from (select height, time < lag(time) over (order by height) as is_back from blocks)
where is_back
order by height
