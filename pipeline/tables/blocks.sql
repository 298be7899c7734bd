-- The blocks of the index. It is a table and no view of the raw blocks, which are thousands of files.
create or replace table blocks as
select height, time
from raw_blocks
where height between $first and $last
