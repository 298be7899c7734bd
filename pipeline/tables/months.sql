-- The UTC months of the index with the heights of their blocks: what the monthly files are cut by.
select strftime(time, '%Y-%m') as month, min(height) as first, max(height) as last
from blocks
group by month
order by month
