select height, time, hash, record, checksum
from read_parquet($files)
where list_contains($heights, height::varchar)
order by height
