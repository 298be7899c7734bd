-- `checksum` is null in files of older versions.
select height, time, hash, record, checksum
from (
  select null::bigint as checksum where false
  union all by name
  select * from read_parquet($path)
)
where height between $first and $last
