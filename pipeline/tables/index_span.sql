-- The heights of the index, the one up to which holdings are proved, and the UTC day of the block at which the fold stopped, if it
-- did: for views, which take no parameters.
create or replace table index_span as
select $first::bigint as first, $last::bigint as last, $until::bigint as until, $stop_day::date as stop_day
