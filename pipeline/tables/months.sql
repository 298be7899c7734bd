select
  strftime(time, '%Y-%m') as month,
  min(height) as first,
  max(height) as last,
  bit_xor(content)::varchar as content
from blocks
group by month
order by month
