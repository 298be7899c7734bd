-- When the index begins and ends, and how many blocks it holds.
select count(*) as blocks, strftime(min(time), '%Y-%m-%dT%H:%M:%SZ') as first_time, strftime(max(time), '%Y-%m-%dT%H:%M:%SZ') as last_time
from blocks
