-- Creates a table instead of a view, because a view would read thousands of raw block files again for each query.
-- `content` is a hash of the whole block.
create or replace table blocks as
select height, time, hash(height, time, hash, checksum) as content
from (
  from read_parquet($files, union_by_name = true)
  union all by name
  select null::bigint as checksum where false
)
where height between $first and $last
