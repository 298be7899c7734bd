create or replace table raw_blocks as
select height, time, hash(height, time, hash, checksum) as content
from read_parquet($files)
where list_contains($heights, height::varchar)
order by height;

create or replace table blocks as from raw_blocks;

-- The column `time` is cut to seconds. The first time in a record is that of the header.
create or replace table block_nanos as
select
  height,
  rpad(regexp_extract(record, '"time"\s*:\s*"[^".]*\.?(\d*)Z"', 1), 9, '0')::integer as nanos
from read_parquet($files)
where list_contains($heights, height::varchar)
order by height
