create or replace table raw_blocks as
select height, time, hash(height, time, hash, checksum) as content
from read_parquet($files)
where list_contains($heights, height::varchar)
order by height;

create or replace table blocks as from raw_blocks
