-- Counts rows from the first replaced block on by file. Where it was wrong, the state after it was wrong too.
select replace(filename, $prefix, '') as path, count(*) as rows
from read_parquet($files, filename = true)
where columns('^(last_)?height$') >= $first
group by filename
