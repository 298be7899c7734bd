-- The heights of the index: its first and last block, the block up to which holdings are proved, and the UTC day of the block at which
-- the fold stopped, if it did. `opening` is the block after which holdings are known first, null without a starting state: the state's own
-- block where the index has that, else the block before the index. `opening_day` is the UTC day that it closes in the index. It is a table
-- for views, which take no parameters.
create or replace table index_span as
select
  $first::bigint as first,
  $last::bigint as last,
  $until::bigint as until,
  $stop_day::date as stop_day,
  $opening::bigint as opening,
  (
    select if(next.time::date > own.time::date, own.time::date, null)
    from blocks as own
    join blocks as next on next.height = own.height + 1
    where own.height = $opening
  ) as opening_day
