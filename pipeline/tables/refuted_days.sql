-- Counts prices or rates of days outside a span, by file. Such days can only come from a block with a wrong time.
select replace(filename, $prefix, '') as path, count(*) as rows
from read_parquet($files, filename = true)
where day not between $start::date and $end::date
group by filename
