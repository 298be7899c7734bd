-- The rows of one file of raw blocks join those at hand; a file of an earlier version has no checksums.
insert into raw_blocks by name select * from read_parquet($path);
