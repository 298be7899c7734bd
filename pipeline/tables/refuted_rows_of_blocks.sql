select replace(filename, $prefix, '') as path, count(*) as rows
from read_parquet($files, filename = true)
where list_contains($heights::bigint[], height)
group by filename
