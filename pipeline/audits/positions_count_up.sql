-- The rows of a block have positions 0, 1, 2, … and the same time.
select height, min(position) as least, max(position) as most, count(distinct position) as different, count(*) as rows
from priced_events
group by height
having min(position) <> 0 or max(position) <> count(*) - 1 or count(distinct position) <> count(*) or min(time) <> max(time)
order by height
