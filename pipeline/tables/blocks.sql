-- A table, because a view would read thousands of raw block files again for each query.
create or replace table blocks as
select height, time
from raw_blocks
where height between $first and $last
