-- Writes the heights and times of the blocks as lines: day, tab, and JSON as in
-- pipeline/publish/wallet-index/holdings-format.ts.
copy (
  select
    day || e'\t[[' || string_agg(height, ',' order by height) || '],['
      || string_agg(seconds * 1000000000 + nanos, ',' order by height) || ']]' as line
  from (
    select height, strftime(time, '%Y-%m-%d') as day, epoch(time)::bigint % 86400 as seconds, nanos
    from blocks
    join block_nanos using (height)
  )
  group by day
  order by day
) to $path (format csv, header false, quote '', escape '', delimiter e'\x01')
