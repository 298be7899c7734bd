-- A table instead of a view, because the raw blocks are thousands of files.
create or replace table blocks as
select height, time
from raw_blocks
where height between $first and $last
