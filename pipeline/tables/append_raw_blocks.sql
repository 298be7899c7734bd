-- Matches columns by name, because files of older versions have no checksums.
insert into raw_blocks by name select * from read_parquet($path);
