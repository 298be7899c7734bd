-- Selects the edges in the index, each with the last block before it. Times are nanoseconds since 1970.
with times as materialized (
  select height, epoch_ns(time::timestamp) + nanos as time from blocks join block_nanos using (height)
)
select edge.at::varchar as at, height, time::varchar as time
from (select unnest($edges)::bigint as at) as edge
asof join times on edge.at > times.time
where edge.at <= (select max(time) from times)
order by edge.at
