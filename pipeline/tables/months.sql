-- UTC months of the index and their heights, which define the monthly files.
select strftime(time, '%Y-%m') as month, min(height) as first, max(height) as last
from blocks
group by month
order by month
