-- Counts rows since the first replaced block, by file. These rows depend on a state that contained the wrong block.
select replace(filename, $prefix, '') as path, count(*) as rows
from read_parquet($files, filename = true)
where columns('^(last_)?height$') >= $first
group by filename
