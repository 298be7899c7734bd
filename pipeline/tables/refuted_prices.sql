-- Counts prices of days outside the index by file. Only a block with a wrong time put these days into it.
select replace(filename, $prefix, '') as path, count(*) as rows
from read_parquet($files, filename = true)
where day not between $start::date and $end::date
group by filename
