-- Rows of one file of raw blocks, both heights inclusive.
select height, time, hash, record from read_parquet($path) where height between $first and $last;
