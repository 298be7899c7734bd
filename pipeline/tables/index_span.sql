-- A table with one row, because views have no parameters. `until`: last height with proved holdings. `stop_day`: UTC
-- day on which the fold (which computes holdings block by block) stopped; null if it did not stop. `opening`: block
-- after which holdings are first known. This is the starting state's block or, if later, the last block before the
-- index; null without a starting state. `opening_day`: UTC day whose last block is `opening`.
create or replace table index_span as
select
  $first::bigint as first,
  $last::bigint as last,
  $until::bigint as until,
  $stop_day::date as stop_day,
  $opening::bigint as opening,
  (
    select if(next.time::date > opening_block.time::date, opening_block.time::date, null)
    from blocks as opening_block
    join blocks as next on next.height = opening_block.height + 1
    where opening_block.height = $opening
  ) as opening_day
