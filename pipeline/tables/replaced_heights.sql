-- Heights whose block in a replaced file differs from every stored one.
select distinct height from (
  select height, time, hash, record from read_parquet($replaced)
  except
  select height, time, hash, record from read_parquet($stored)
)
order by height
