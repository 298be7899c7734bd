-- Inserts by name, because files of older versions lack the column checksum.
insert into raw_blocks by name select * from read_parquet($path);
