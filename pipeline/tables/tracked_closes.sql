select strftime(time, '%Y-%m-%d') as day, max(height) as close_height
from blocks
group by day
order by day
