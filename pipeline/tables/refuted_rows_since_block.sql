-- Counts rows since the first replaced block, by file. Rows after this block depend on a wrong state.
select replace(filename, $prefix, '') as path, count(*) as rows
from read_parquet($files, filename = true)
where columns('^(last_)?height$') >= $first
group by filename
