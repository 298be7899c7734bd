-- The heights of the index, for views, which take no parameters.
create or replace table index_span as
select $first::bigint as first, $last::bigint as last
