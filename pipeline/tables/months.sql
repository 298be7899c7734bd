select strftime(time, '%Y-%m') as month, min(height) as first, max(height) as last
from blocks
group by month
order by month
