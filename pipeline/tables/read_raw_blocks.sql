-- Rows of one file of raw blocks, both heights inclusive; a file of an earlier version has no checksums.
select height, time, hash, record, checksum
from (
  select null::bigint as checksum where false
  union all by name
  select * from read_parquet($path)
)
where height between $first and $last
