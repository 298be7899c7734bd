-- Heights at which the block in a replaced file differs from all stored blocks.
select distinct height from (
  select height, time, hash, record from read_parquet($replaced)
  except
  select height, time, hash, record from read_parquet($stored)
)
order by height
